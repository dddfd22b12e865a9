// A node's parameters.
#pragma once
namespace convoy::nodes {
class ParameterStore {};
}
