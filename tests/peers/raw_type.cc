#include "raw_type.h"

#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace peers {
namespace {

// Cyclone sees the first member, and gives pointers to it back to the functions below. A sample that goes out is read up to
// the next multiple of four: there is that much behind its end.
struct RawData {
  ddsi_serdata base;
  Bytes bytes;
  std::size_t size;
};

const RawData& of(const ddsi_serdata* data) { return *reinterpret_cast<const RawData*>(data); }

RawData* new_data(const ddsi_sertype* type, ddsi_serdata_kind kind, std::size_t size) {
  auto* data = new RawData{};
  ddsi_serdata_init(&data->base, type, kind);
  data->base.hash = type->serdata_basehash;  // without a key all samples are of one instance
  data->bytes.resize((size + 3) / 4 * 4);
  data->size = size;
  return data;
}

ddsi_serdata* from_network(const ddsi_sertype* type, ddsi_serdata_kind kind, const nn_rdata* fragment,
                           std::size_t size) {
  RawData* data = new_data(type, kind, size);
  std::uint32_t end = 0;  // fragments are in order, and may overlap
  for (; fragment != nullptr; fragment = fragment->nextfrag) {
    if (fragment->maxp1 <= end) continue;
    const unsigned char* payload = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
    std::memcpy(data->bytes.data() + end, payload + (end - fragment->min), fragment->maxp1 - end);
    end = fragment->maxp1;
  }
  return &data->base;
}

ddsi_serdata* from_pieces(const ddsi_sertype* type, ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count,
                          const ddsrt_iovec_t* pieces, std::size_t size) {
  RawData* data = new_data(type, kind, size);
  std::size_t at = 0;
  for (ddsrt_msg_iovlen_t i = 0; i < count && at < size; ++i) {
    const std::size_t length = std::min<std::size_t>(pieces[i].iov_len, size - at);
    std::memcpy(data->bytes.data() + at, pieces[i].iov_base, length);
    at += length;
  }
  return &data->base;
}

// A sample in memory is a pointer to Bytes.
ddsi_serdata* from_bytes(const ddsi_sertype* type, ddsi_serdata_kind kind, const void* sample) {
  const Bytes& cdr = *static_cast<const Bytes*>(sample);
  RawData* data = new_data(type, kind, cdr.size());
  std::copy(cdr.begin(), cdr.end(), data->bytes.begin());
  return &data->base;
}

const ddsi_serdata_ops kDataOps = {
    .eqkey = [](const ddsi_serdata*, const ddsi_serdata*) { return true; },
    .get_size = [](const ddsi_serdata* d) { return static_cast<std::uint32_t>(of(d).size); },
    .from_ser = from_network,
    .from_ser_iov = from_pieces,
    .from_keyhash = [](const ddsi_sertype* type, const ddsi_keyhash*) { return &new_data(type, SDK_KEY, 0)->base; },
    .from_sample = from_bytes,
    .to_ser = [](const ddsi_serdata* d, std::size_t from, std::size_t size,
                 void* to) { std::memcpy(to, of(d).bytes.data() + from, size); },
    .to_ser_ref =
        [](const ddsi_serdata* d, std::size_t from, std::size_t size, ddsrt_iovec_t* piece) {
          piece->iov_base = const_cast<std::uint8_t*>(of(d).bytes.data() + from);
          piece->iov_len = size;
          return ddsi_serdata_ref(d);
        },
    .to_ser_unref = [](ddsi_serdata* d, const ddsrt_iovec_t*) { ddsi_serdata_unref(d); },
    .to_sample = [](const ddsi_serdata*, void*, void**, void*) { return false; },
    .to_untyped = [](const ddsi_serdata* d) { return &new_data(d->type, SDK_KEY, 0)->base; },
    .untyped_to_sample = [](const ddsi_sertype*, const ddsi_serdata*, void*, void**, void*) { return true; },
    .free = [](ddsi_serdata* d) { delete reinterpret_cast<RawData*>(d); },
    .print = [](const ddsi_sertype*, const ddsi_serdata*, char* to,
                std::size_t size) { return static_cast<std::size_t>(std::snprintf(to, size, "(bytes)")); },
    .get_keyhash = [](const ddsi_serdata*, ddsi_keyhash* to, bool) { std::memset(to, 0, sizeof *to); },
};

// No sample is read into memory, so that most of these have nothing to do.
const ddsi_sertype_ops kTypeOps = {
    .version = ddsi_sertype_v0,
    .arg = nullptr,
    .free =
        [](ddsi_sertype* type) {
          ddsi_sertype_fini(type);
          delete type;
        },
    .zero_samples = [](const ddsi_sertype*, void*, std::size_t) {},
    .realloc_samples = [](void**, const ddsi_sertype*, void*, std::size_t, std::size_t) {},
    .free_samples = [](const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {},
    .equal = [](const ddsi_sertype*, const ddsi_sertype*) { return true; },
    .hash = [](const ddsi_sertype*) { return std::uint32_t{0}; },
    .type_id = nullptr,
    .type_map = nullptr,
    .type_info = nullptr,
    .derive_sertype = nullptr,
    .get_serialized_size = nullptr,
    .serialize_into = nullptr,
};

}  // namespace

dds_entity_t create_raw_topic(dds_entity_t participant, const std::string& name, const std::string& type) {
  auto* raw = new ddsi_sertype{};
  ddsi_sertype_init(raw, type.c_str(), &kTypeOps, &kDataOps, true);
  raw->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  const dds_entity_t topic = dds_create_topic_sertype(participant, name.c_str(), &raw, nullptr, nullptr, nullptr);
  if (topic < 0) ddsi_sertype_unref(raw);
  return topic;
}

dds_return_t write_raw(dds_entity_t writer, const Bytes& cdr) { return dds_write(writer, &cdr); }

std::vector<Sample> take_raw(dds_entity_t reader, std::size_t most) {
  std::vector<ddsi_serdata*> taken(most);
  std::vector<dds_sample_info_t> infos(most);
  const dds_return_t count =
      dds_takecdr(reader, taken.data(), static_cast<std::uint32_t>(most), infos.data(), DDS_ANY_STATE);
  std::vector<Sample> samples;
  for (dds_return_t i = 0; i < count; ++i) {
    const RawData& data = of(taken[i]);
    if (infos[i].valid_data) {
      samples.push_back({{data.bytes.begin(), data.bytes.begin() + static_cast<std::ptrdiff_t>(data.size)}, infos[i]});
    }
    ddsi_serdata_unref(taken[i]);
  }
  return samples;
}

}  // namespace peers
