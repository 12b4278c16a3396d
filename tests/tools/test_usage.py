"""Mistakes in the command line of `perigee`: one line with the nearest name, and exit status 2."""

import unittest

from perigee_tool import WithServer, perigee


class Usage(WithServer):
    def assert_mistake(self, words, text):
        status, out, error = perigee(*words)
        self.assertEqual((status, out), (2, ""), words)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertIn(text, error)

    def test_an_unknown_command_is_named_with_the_nearest_command(self):
        self.assert_mistake(("protocol",), "perigee: no command 'protocol'; did you mean 'protocols'? "
                            "(perigee --help lists the commands)")
        self.assert_mistake(("name", "lst"), "perigee name: no command 'lst'; did you mean 'list'?")
        self.assert_mistake(("foo",), "perigee: no command 'foo'; the commands are: ior, name, protocols")

    def test_a_missing_command_is_an_error_that_lists_the_commands(self):
        self.assert_mistake((), "perigee: a command is missing; the commands are: ior, name, protocols")
        self.assert_mistake(("name",), "perigee name: a command is missing; the commands are: bind, rebind")

    def test_an_unknown_option_is_named_with_the_nearest_option(self):
        self.assert_mistake(("ior", "--jsn", "a.ior"), "perigee ior: unknown option '--jsn'; did you mean '--json'? "
                            "(perigee ior --help lists the options)")
        self.assert_mistake(("ior", "make", "--kye=k"), "perigee ior make: unknown option '--kye'; did you mean '--key'?")
        self.assert_mistake(("ior", "a", "b"), "perigee ior: unexpected argument 'b'")
        self.assert_mistake(("name", "resolve", "a", "bind"), "perigee name resolve: unexpected argument 'bind'")

    def test_a_missing_argument_is_an_error_of_its_command(self):
        self.assert_mistake(("ior",), "perigee ior: reference is required")
        self.assert_mistake(("ior", "make"), "perigee ior make: --key is required")
        self.assert_mistake(("ior", "make", "--"), "perigee ior make: --key is required")

    def test_options_of_the_orb_are_checked_and_refused_where_they_have_no_effect(self):
        self.assert_mistake(("ior", "x", "-ORBPcapp", "f"), "perigee ior: unknown option -ORBPcapp; did you mean '-ORBPcap'?")
        self.assert_mistake(("ior", "try", "corbaloc::h:1/k", "-ORBendPoint", "x"),
                            "omniORB's -ORBendPoint corresponds to Perigee's -ORBListenEndpoints")
        self.assert_mistake(("name", "list", "-ORBPcap", "f"), "perigee name: -ORBPcap has no effect here")
        self.assertIn("omniORB's -ORBendPoint", perigee("watch", "corbaloc::h:1/k", "-ORBendPoint", "x")[2])

    def test_exit_statuses_tell_failures_from_mistakes(self):
        self.assertEqual(perigee("--version")[0], 0)
        self.assertEqual(perigee("ior", "--help")[0], 0)
        self.assertEqual(perigee("ior", "no such file")[0], 1)
        self.assertEqual(perigee("ior", "try", "corbaloc::127.0.0.1:1/k")[0], 1)

    def test_a_time_limit_of_zero_is_no_limit_for_all_commands(self):
        with self.server() as server:
            self.assertEqual(perigee("ior", "try", "--timeout", "0", server.ior)[0], 0)
            self.assertEqual(perigee("protocols", "-s", self.operator, "list", "--timeout", "0")[0], 0)
            service = ("-s", server.ior, "--timeout", "0")
            self.assertIn("is not a naming service", perigee("name", *service, "list")[2])
        for command in (("ior", "try", "corbaloc::h:1/k"), ("name", "list"), ("protocols", "-s", "/s", "list")):
            self.assert_mistake((*command, "--timeout", "-1"), "'-1' is not a time limit; write a number of seconds")

    def test_the_help_of_the_orb_shows_defaults(self):
        status, out, _ = perigee("ior", "-ORBHelp", "a.ior")
        self.assertEqual(status, 0)
        self.assertIn("[default: auto; server.thread_strategy]", out)


if __name__ == "__main__":
    unittest.main()
