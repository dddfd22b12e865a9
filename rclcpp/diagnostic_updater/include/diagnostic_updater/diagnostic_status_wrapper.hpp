// Where Jazzy has it.
#pragma once

#include "diagnostic_updater/DiagnosticStatusWrapper.hpp"
