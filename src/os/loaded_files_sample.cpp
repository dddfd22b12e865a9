// Libraries for loaded_files_test.cc: one, and one that needs it.
#ifdef CONVOY_SAMPLE_NEEDS
extern "C" int convoy_sample_needed();
extern "C" int convoy_sample() { return convoy_sample_needed(); }
#else
extern "C" int convoy_sample_needed() { return 1; }
#endif
