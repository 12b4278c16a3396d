-- Wireshark's TLS dissector does not look for GIOP. This script makes it do so at port 684
-- (corba-iiop-ssl). tshark needs the option -d tcp.port==683,giop: the script takes the dissector of
-- GIOP over TCP from there.
local over_tls = Proto("giop_over_tls", "GIOP over TLS")

-- Called when the options are known.
function over_tls.init()
  DissectorTable.get("tls.port"):set(684, DissectorTable.get("tcp.port"):get_dissector(683))
end
