"""Numbers of HyperQueue, the other runner in one file, on an idle machine of this class. They are printed for
orientation and marked, for they are not measured here; its journal is not synced, Muster's is."""

FIRST_LINE_MS = 22       # submit to the first line of one task
SUBMIT_WAIT_MS = 64      # submit --wait of true
JOBS_A_SECOND = 190      # submitted separately
TASKS_A_SECOND = 1150    # of one array
SERVER_MB = 17
