"""`perigee call`: the JSON of each kind of type, exceptions, mistakes, and many calls."""

import json
import os
import shlex
import subprocess
import unittest

from perigee_tool import TOOL, perigee
from two_processes import Server

IDL = os.environ["IDL"]
USER_EXCEPTION = 3

# The type, the JSON of an argument, and the JSON of the result if it differs.
SAME = [
    ("boolean", True),
    ("octet", 255),
    ("char", "x"),
    ("wchar", "\u20ac"),
    ("short", -32768),
    ("large", 18446744073709551615),
    ("float", 0.1),
    ("double", -1.5e300),
    ("long_double", 2.5),
    ("string", "caf\u00e9 \"quoted\""),
    ("wstring", "\u20ac 5, \U0001f600"),
    ("code", "abcd"),
    ("price", "123.45"),
    ("colour", "green"),
    ("octets", "AAEC/w=="),
    ("numbers", [1, -2, 2147483647]),
    ("numbers", []),
    ("grid", [[1, 2, 3], [4, 5, 6]]),
    ("items", [{"name": "lamp", "count": 3, "colour": "red"}]),
    ("choice", {"_d": "red", "number": 7}),
    ("choice", {"_d": "green", "thing": {"name": "", "count": 0, "colour": "blue"}}),
    ("choice", {"_d": "blue", "text": "other"}),
    ("dimmer", {"_d": True, "level": 0.5}),
    ("dimmer", {"_d": False}),
    ("tree", {"name": "root", "branches": [{"name": "leaf", "branches": []}]}),
    ("any", {"type": "long", "value": 5}),
    ("any", {"type": "IDL:Calls/Item:1.0", "value": {"name": "a", "count": 1, "colour": "red"}}),
    ("any", {"type": "sequence<IDL:Calls/Colour:1.0>", "value": ["red", "blue"]}),
    ("any", {"type": "any", "value": {"type": "string", "value": "inner"}}),
    ("any", None),
    ("type", "IDL:Calls/Tree:1.0"),
    ("type", "unsigned long long"),
    ("object", None),
    ("point", {"x": 1, "y": -1}),
    ("point", None),
    ("circle", {"x": 1, "y": 2, "radius": 0.25}),
    ("box", "inside"),
    ("box", None),
]
OTHER = [
    ("large", "18446744073709551615", 18446744073709551615),
    ("double", "NaN", "NaN"),
    ("double", "-Infinity", "-Infinity"),
    ("price", 7, "7.00"),
    ("octets", [0, 1, 2, 255], "AAEC/w=="),
    ("choice", {"number": 7}, {"_d": "red", "number": 7}),
    ("any", True, {"type": "boolean", "value": True}),
    ("any", 3000000000, {"type": "long long", "value": 3000000000}),
    ("any", "text", {"type": "string", "value": "text"}),
    ("any", {"type": "Calls::Colour", "value": "red"}, {"type": "IDL:Calls/Colour:1.0", "value": "red"}),
    ("any", {"type": "string<4>", "value": "abc"}, {"type": "string<4>", "value": "abc"}),
    ("type", "Calls::Items", "IDL:Calls/Items:1.0"),
]

# The operation, the argument, and the text of the error.
MISTAKES = [
    ("octet", 256, "value: an integer from 0 to 255 is expected here, not 256"),
    ("short", "x", "value: an integer from -32768 to 32767 is expected here, not \"x\""),
    ("char", "xy", "value: a string with one character of ASCII is expected here"),
    ("code", "abcde", "value: the value has 5 octets, and its bound is 4"),
    ("any", {"type": "Calls::Price", "value": 1.5},
     "value.value: a fraction of type fixed must be a string, so that no digit is lost"),
    ("float", 1e39, "value: a number up to 3.4028234663852886e+38 is expected here, not 1e+39"),
    ("price", "1234.5", "value: 1234.5 does not fit into fixed<5, 2>"),
    ("price", "1.234", "value: 1.234 has more than 2 digits after the point"),
    ("colour", "gren", "value: there is no enumerator gren; did you mean 'green'?"),
    ("octets", "?", "value: the string is not base64"),
    ("grid", [[1, 2, 3]], "value: the array needs 2 elements, not 1"),
    ("grid", [[1, 2, 3], [4, 5, "six"]], "value[1][2]: an integer from"),
    ("items", [{"name": "a", "count": 1}], "value[0].colour: the member is missing"),
    ("items", [{"nam": "a", "count": 1, "colour": "red"}],
     "value[0]: there is no member nam; did you mean 'name'?"),
    ("choice", {"_d": "red", "text": ""}, "value: this label selects the member number, not text"),
    ("choice", {"number": 1, "text": ""}, "value: a union has one member, not both number and text"),
    ("choice", {}, "value: the union needs a member, or the label \"_d\""),
    ("dimmer", {"_d": False, "level": 1}, "value: this label selects no member, so level must be left out"),
    ("any", {"type": "Calls::Itm", "value": 1}, "value: the IDL has no type Calls::Itm; did you mean 'Calls::Item'?"),
    ("any", [1], "value: a simple value, or {\"type\": \u2026, \"value\": \u2026} is expected here, not an array of 1"),
    ("object", "corbaloc:nowhere", "value: "),
    ("point", {"x": 1}, "value.y: the member is missing"),
]


class Call(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.board = Server(shlex.join([os.environ["SERVER"], "-ORBListenEndpoints", "iiop://127.0.0.1:0"]))
        cls.board.__enter__()
        cls.addClassCleanup(cls.board.__exit__)

    def call(self, *words, options=(), **more):
        """Status, the JSON on standard output, and standard error."""
        status, out, error = perigee("call", "--idl", IDL, *options, self.board.ior, *words, **more)
        return status, json.loads(out) if out else None, error

    def echoed(self, kind, value):
        word = value if isinstance(value, str) else json.dumps(value)
        status, result, error = self.call(f"echo_{kind}", json.dumps(value))
        self.assertEqual((status, error), (0, ""), (kind, word))
        return result["_return"]

    def test_a_value_of_each_type_returns_as_it_was_sent(self):
        for kind, value in SAME:
            with self.subTest(kind=kind, value=value):
                self.assertEqual(self.echoed(kind, value), value)

    def test_some_values_may_be_written_in_several_ways(self):
        for kind, value, result in OTHER:
            with self.subTest(kind=kind, value=value):
                self.assertEqual(self.echoed(kind, value), result)

    def test_the_members_of_a_result_have_the_order_of_the_idl(self):
        status, out, _ = perigee("call", "--idl", IDL, "--json", self.board.ior, "echo_items",
                                 '[{"name": "a", "count": 1, "colour": "red"}]')
        self.assertEqual((status, out), (0, '{"_return":[{"name":"a","count":1,"colour":"red"}]}\n'))

    def test_a_string_needs_no_quotes(self):
        for word in "plain", "two words", "-5", "{", "42":
            status, result, error = self.call("echo_string", word)
            self.assertEqual((status, result, error), (0, {"_return": word}, ""))

    def test_a_fixed_number_needs_no_quotes_and_loses_no_digit(self):
        self.assertEqual(self.call("echo_large_price", "99999999999999.99"), (0, {"_return": "99999999999999.99"}, ""))

    def test_a_number_beyond_the_range_of_json_is_a_mistake(self):
        status, _, error = self.call("echo_double", "1e400")
        self.assertEqual(status, 2)
        self.assertIn("value: number overflow", error)

    def test_a_result_without_json_does_not_look_like_a_mistake_in_the_arguments(self):
        status, result, error = self.call("make_deep_tree")
        self.assertEqual((status, result), (1, None))
        self.assertIn("make_deep_tree was called, but its results cannot be written as JSON: _return", error)

    def test_the_object_is_asked_for_an_operation_that_the_named_interface_does_not_have(self):
        _, ior, _ = perigee("ior", "edit", "--type", "IDL:Calls/Base:1.0", self.board.ior)
        status, out, error = perigee("call", "--idl", IDL, ior.strip(), "noted")
        self.assertEqual((status, error), (0, ""), out)

    def test_a_negative_number_is_not_an_option(self):
        self.assertEqual(self.call("echo_short", "-5"), (0, {"_return": -5}, ""))

    def test_a_reference_is_its_text(self):
        result = self.echoed("base", self.board.ior)
        self.assertTrue(result.startswith("IOR:"))
        self.assertEqual(perigee("call", "--idl", IDL, result, "noted")[0], 0)

    def test_results_have_the_names_of_the_parameters(self):
        self.assertEqual(self.call("split", "17", "5"),
                         (0, {"_return": 3, "rest": 2, "text": "17 in parts of 5"}, ""))

    def test_attributes_are_read_and_written_by_their_names(self):
        self.assertEqual(self.call("title"), (0, {"_return": "board"}, ""))
        self.assertEqual(self.call("_get_title"), (0, {"_return": "board"}, ""))
        self.assertEqual(self.call("level", "2.25"), (0, {}, ""))
        self.assertEqual(self.call("level"), (0, {"_return": 2.25}, ""))
        status, _, error = self.call("title", "new")
        self.assertEqual((status, error), (2, "perigee call: the attribute title of Calls::Base is readonly\n"))

    def test_arguments_may_come_from_standard_input(self):
        for text in "[17, 5]", '{"rest": 5, "total": 17}':
            status, result, error = self.call("split", "-", input=text)
            self.assertEqual((status, result["_return"], error), (0, 3, ""))
        for text, error in [("[17", "standard input: parse error"),
                            ("17", "standard input: expected an array of the arguments"),
                            ('{"total": 1}', "standard input: the argument rest is missing"),
                            ('{"total": 1, "rst": 1}', "split has no argument rst; did you mean 'rest'?"),
                            ("[1, 2, 3]", "needs 2 arguments, not 3")]:
            status, result, text = self.call("split", "-", input=text)
            self.assertEqual((status, result), (2, None))
            self.assertIn(error, text)

    def test_a_user_exception_is_json_with_its_own_status(self):
        self.assertEqual(self.call("split", "17", "0"), (USER_EXCEPTION, {
            "exception": "IDL:Calls/Refused:1.0",
            "members": {"reason": "no parts", "item": {"name": "split", "count": 17, "colour": "red"}}}, ""))

    def test_a_system_exception_is_json(self):
        status, result, error = self.call("wait_for", "2000", options=("--timeout", "0.05"))
        self.assertEqual((status, result["exception"], error), (1, "IDL:omg.org/CORBA/TIMEOUT:1.0", ""))
        status, result, _ = self.call("noted", options=("--interface", "Calls::Board"))
        self.assertEqual(status, 0)
        status, out, _ = perigee("call", "--idl", IDL, "--interface", "Calls::Board",
                                 "corbaloc:iiop:127.0.0.1:1/none", "noted")
        self.assertEqual((status, json.loads(out)["exception"]), (1, "IDL:omg.org/CORBA/TRANSIENT:1.0"))

    def test_a_oneway_operation_has_no_results(self):
        before = self.call("noted")[1]["_return"]
        self.assertEqual(self.call("note", "hello"), (0, {}, ""))
        self.assertEqual(self.call("noted")[1]["_return"], before + 1)
        status, _, error = self.call("noted", options=("--oneway",))
        self.assertEqual((status, error), (2, "perigee call: noted has results, so --oneway cannot call it\n"))

    def test_a_mistake_in_an_argument_names_the_member(self):
        for kind, value, text in MISTAKES:
            with self.subTest(kind=kind, value=value):
                status, result, error = self.call(f"echo_{kind}", json.dumps(value))
                self.assertEqual((status, result), (2, None))
                self.assertTrue(error.startswith("perigee call: " + text), error)
                self.assertEqual(error.count("\n"), 1)

    def test_json_that_is_too_deep_has_a_clear_error(self):
        deep = '{"name":"","branches":[' * 200 + "]}" * 200
        status, _, error = self.call("echo_tree", deep)
        self.assertEqual(status, 2)
        self.assertIn("nested more than 120 levels deep", error)
        for text, error in [("[" * 1_000_000, "standard input: parse error"),
                            ("[" * 1_000_000 + "]" * 1_000_000, "value[0]: an integer")]:
            status, _, told = self.call("echo_numbers", "-", input=text)
            self.assertEqual(status, 2)
            self.assertIn(error, told)

    def test_json_that_is_too_large_has_a_clear_error(self):
        members = ",".join(f'"m{number}":0' for number in range(1_000_000))
        wide = "{" + ",".join(f'"m{number}":0' for number in range(10_000)) + "}"
        for text, error in [("{" + members + "}", "standard input: an object has more than 10000 members"),
                            ("[" + ",".join([wide] * 21) + "]", "standard input: the objects need more than 1000000000 comparisons"),
                            ("[" + "0," * 17_000_000 + "0]", "standard input: the JSON has more than 16777216 values"),
                            ("[" + " " * (257 << 20), "standard input: the JSON has more than 256 MiB")]:
            status, _, told = self.call("echo_numbers", "-", input=text)
            self.assertEqual(status, 2)
            self.assertIn(error, told)

    def test_mistakes_in_the_command_line_have_one_line(self):
        for words, text in [
            (("--idl", IDL, self.board.ior, "splt", "1"), "Calls::Board has no operation or attribute splt; did you mean 'split'?"),
            (("--idl", IDL, self.board.ior, "split", "1"),
             "split(in long total, inout long rest, out string text) needs 2 arguments, not 1; options come before the reference"),
            (("--idl", IDL, "--interface", "Calls::Bord", self.board.ior, "noted"),
             "the IDL has no interface Calls::Bord; did you mean 'Calls::Board'?"),
            (("--idl", "nowhere.idl", self.board.ior, "noted"), "nowhere.idl"),
            (("--idl", IDL, "--concurrency", "2", self.board.ior, "noted"), "--concurrency needs --repeat"),
            (("--idl", IDL, "corbaloc:", "noted"), "corbaloc"),
            (("--idl", os.environ["OTHER_IDL"], self.board.ior, "noted"),
             "the object has the interface IDL:Calls/Board:1.0, which the IDL does not have"),
        ]:
            with self.subTest(words=words):
                status, out, error = perigee("call", *words)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(text, error)
                self.assertEqual(error.count("\n"), 1)

    def test_many_calls_print_latencies(self):
        before = self.call("noted")[1]["_return"]
        status, result, error = self.call("note", "x", options=("--repeat", "200", "--concurrency", "4"))
        self.assertEqual((status, error), (0, ""))
        self.assertEqual((result["calls"], result["failed"]), (200, 0))
        latency = result["latency_us"]
        order = ["min", "p50", "p90", "p99", "p99_9", "max"]
        self.assertEqual(list(latency), order)
        self.assertEqual(sorted(latency.values()), list(latency.values()))
        self.assertEqual(self.call("noted")[1]["_return"], before + 200)

    def test_many_calls_count_exceptions(self):
        status, result, _ = self.call("split", "1", "0", options=("--repeat", "20", "--concurrency", "3"))
        self.assertEqual((status, result["calls"], result["failed"]), (1, 20, 20))
        self.assertEqual(result["failures"], {"IDL:Calls/Refused:1.0": 20})
        self.assertNotIn("latency_us", result)


if __name__ == "__main__":
    unittest.main()
