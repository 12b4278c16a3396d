// The gateway for AllTypes::Peer: a dynamic servant that passes requests on by dynamic calls.
#include "all_typesA.h"
#include "interop/dynamic/gateway.h"

namespace {

using interop::Signatures;
using interop::TypeRef;

/// `type operation(in type a, in type b, out type c)`.
void add_wide_echo(Signatures& all, const std::string& operation, const TypeRef& type) {
  all.add(operation, {{"a", type}, {"b", type}, {"c", type, CORBA::ARG_OUT}}, type);
}

void add_echoes(Signatures& all) {
  using namespace AllTypes;  // NOLINT(google-build-using-namespace)
  all.add_echo("echo_flag", _tc_Flag);
  all.add_echo("echo_letter", _tc_Letter);
  all.add_echo("echo_piece", _tc_Piece);
  all.add_echo("echo_small", _tc_Small);
  all.add_echo("echo_u_small", _tc_USmall);
  all.add_echo("echo_count", _tc_Count);
  all.add_echo("echo_u_count", _tc_UCount);
  all.add_echo("echo_big", _tc_Big);
  all.add_echo("echo_u_big", _tc_UBig);
  all.add_echo("echo_real", _tc_Real);
  all.add_echo("echo_precise", _tc_Precise);
  all.add_echo("echo_text", _tc_Text);
  all.add_echo("echo_code", _tc_Code);
  all.add_echo("echo_shape", _tc_Shape);
  all.add_echo("echo_point", _tc_Point);
  all.add_echo("echo_person", _tc_Person);
  all.add_echo("echo_octets", _tc_Octets);
  all.add_echo("echo_smalls", _tc_Smalls);
  all.add_echo("echo_counts", _tc_Counts);
  all.add_echo("echo_bigs", _tc_Bigs);
  all.add_echo("echo_reals", _tc_Reals);
  all.add_echo("echo_precises", _tc_Precises);
  all.add_echo("echo_flags", _tc_Flags);
  all.add_echo("echo_letters", _tc_Letters);
  all.add_echo("echo_texts", _tc_Texts);
  all.add_echo("echo_shapes", _tc_Shapes);
  all.add_echo("echo_people", _tc_People);
  all.add_echo("echo_table", _tc_Table);
  all.add_echo("echo_few", _tc_Few);
  all.add_echo("echo_codes", _tc_Codes);
  all.add_echo("echo_row", _tc_Row);
  all.add_echo("echo_matrix", _tc_Matrix);
  all.add_echo("echo_labels", _tc_Labels);
  all.add_echo("echo_board", _tc_Board);
  all.add_echo("echo_ragged", _tc_Ragged);
  all.add_echo("echo_frame", _tc_Frame);
  all.add_echo("echo_by_shape", _tc_ByShape);
  all.add_echo("echo_by_count", _tc_ByCount);
  all.add_echo("echo_by_flag", _tc_ByFlag);
  all.add_echo("echo_by_letter", _tc_ByLetter);
  all.add_echo("echo_by_small", _tc_BySmall);
  all.add_echo("echo_by_u_small", _tc_ByUSmall);
  all.add_echo("echo_by_u_count", _tc_ByUCount);
  all.add_echo("echo_by_big", _tc_ByBig);
  all.add_echo("echo_by_u_big", _tc_ByUBig);
  all.add_echo("echo_tree", _tc_Tree);
  all.add_echo("echo_branch", _tc_Branch);
  all.add_echo("echo_samples", _tc_Samples);
  all.add_echo("echo_wide_letters", _tc_WideLetters);
  all.add_echo("echo_wide_texts", _tc_WideTexts);
  all.add_echo("echo_wide_row", _tc_WideRow);
  all.add_echo("echo_wide_entry", _tc_WideEntry);
  all.add_echo("echo_amount", _tc_Amount);
  all.add_echo("echo_fraction", _tc_Fraction);
  all.add_echo("echo_item", _tc_Item);
  all.add_echo("echo_items", _tc_Items);
  all.add_echo("echo_any", CORBA::_tc_any);
  all.add_echo("echo_parcel", _tc_Parcel);
  all.add_echo("echo_type", CORBA::_tc_TypeCode);
  all.add_echo("echo_peer", _tc_Peer);
  all.add_echo("echo_peers", _tc_Peers);
  all.add_echo("echo_object", CORBA::_tc_Object);
  add_wide_echo(all, "echo_wide_letter", _tc_WideLetter);
  add_wide_echo(all, "echo_wide_text", _tc_WideText);
  add_wide_echo(all, "echo_wide_code", _tc_WideCode);
}

void add_others(Signatures& all) {
  using namespace AllTypes;  // NOLINT(google-build-using-namespace)
  const TypeRef number = CORBA::_tc_long;
  const TypeRef text = CORBA::_tc_string;
  all.add_attribute("level", number);
  all.add("_get_name", {}, text);
  all.add("whoami", {{"greeting", text}}, text);
  all.add("samples", {{"seed", number}}, _tc_Samples);
  all.add("wide_samples", {{"seed", number}}, _tc_WideSamples);
  all.add("fixed_samples", {{"seed", number}}, _tc_FixedSamples);
  all.add("pack", {{"values", _tc_Samples}}, _tc_Anys);
  all.add("unpack", {{"values", _tc_Anys}}, _tc_Samples);
  all.add("pack_wide", {{"values", _tc_WideSamples}}, _tc_Anys);
  all.add("unpack_wide", {{"values", _tc_Anys}}, _tc_WideSamples);
  all.add("pack_fixed", {{"values", _tc_FixedSamples}}, _tc_Anys);
  all.add("unpack_fixed", {{"values", _tc_Anys}}, _tc_FixedSamples);
  all.add("code_points_of", {{"text", text}}, _tc_CodePoints);
  all.add("text_of", {{"text", _tc_CodePoints}}, text);
  all.add("code_points_of_wide", {{"text", CORBA::_tc_wstring}}, _tc_CodePoints);
  all.add("wide_text_of", {{"text", _tc_CodePoints}}, CORBA::_tc_wstring);
  all.add("refuse", {{"code", number}}).raises = {_tc_Refused, _tc_Empty};
  all.add("forbid");
  all.add("stumble");
  all.add("note", {{"number", number}}).is_oneway = true;
  all.add("notes", {}, number);
  all.add("relay", {{"other", _tc_Peer}, {"greeting", text}}, text);
  for (const char* const operation : {"nothing", "forwarder", "gone"})
    all.add(operation, {}, _tc_Peer);
  all.add("quit").is_oneway = true;
}

}  // namespace

int main(int argc, char* argv[]) {
  Signatures all;
  add_echoes(all);
  add_others(all);
  return interop::run_gateway(argc, argv, AllTypes::Peer::_type_id, all);
}
