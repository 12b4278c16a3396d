"""perigee-names is killed while clients bind names: acknowledged names stay, and no name is half bound.

PERIGEE_NAMING_KILLS: how many kills (default: 100). PERIGEE_NAMING_SEED: a seed of an earlier run."""

import os
import random
import subprocess
import unittest

from names_program import CLIENT, WithFolder, bound_names, names

KILLS = int(os.environ.get("PERIGEE_NAMING_KILLS", "100"))
SEED = int(os.environ.get("PERIGEE_NAMING_SEED", random.randrange(1 << 32)))


class Kills(WithFolder):
    def bind_until_killed(self, server, prefix, acknowledged_before_kill):
        """The names that the client saw bound."""
        client = subprocess.Popen([CLIENT, "bind", server.ior, prefix, "8"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        seen = []
        for line in client.stdout:
            seen.append(line.strip())
            if len(seen) == acknowledged_before_kill:
                server.process.kill()
        self.assertEqual(client.wait(), 0)
        client.stdout.close()
        return seen

    def test_acknowledged_names_survive_kills(self):
        chance = random.Random(SEED)
        acknowledged = set()
        for kill in range(KILLS):
            with names(self.file) as server:
                before = bound_names(server.ior) if kill % 10 == 0 else None
                if before is not None:
                    self.assertLessEqual(acknowledged, before, f"seed {SEED}, kill {kill}")
                seen = self.bind_until_killed(server, f"k{kill}", chance.randint(1, 120))
                acknowledged.update(seen)
        with names(self.file) as server:
            bound = bound_names(server.ior)
            self.assertLessEqual(acknowledged, bound, f"seed {SEED}")
            # A name that is bound without an acknowledgement was in progress: at most one for each thread.
            self.assertLessEqual(len(bound - acknowledged), 8 * KILLS)
            self.assertEqual(server.end(), 0)
        print(f"{KILLS} kills, {len(acknowledged)} names acknowledged, {len(bound)} bound, seed {SEED}")


if __name__ == "__main__":
    unittest.main()
