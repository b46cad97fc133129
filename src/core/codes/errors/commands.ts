import type { ErrorTopic } from './explanation.ts';

const OPERATING = 'docs/guides/operating.md#exit-codes';

/** Errors of the command line. */
export const COMMAND_ERRORS: ErrorTopic = {
  document: OPERATING,
  codes: {
    cancelled: {
      means: 'You cancelled the command or answered no. Nothing was written.',
      next: 'Run the command again.',
    },
    confirmation_missing: {
      means:
        'The command needs your confirmation but cannot ask for it, because it is not running in a terminal. Nothing was changed.',
      next: 'If you agree to the action in the message, add `--yes`.',
    },
    code_unknown: {
      means: 'There is no command or code with this name in this version.',
      next: 'Copy the code from the message or the report. `donor-sync --help` lists the commands.',
    },
    faults_unreadable: {
      means: 'The file with the sandbox faults cannot be read. The sandbox did not start.',
      next: 'Check the path and the JSON in the file.',
      document: 'docs/guides/sandbox.md#faults',
    },
    folder_not_empty: {
      means: 'The folder already contains files. Nothing was written into it.',
      next: 'Choose a new folder.',
    },
    folder_unusable: {
      means: 'The folder cannot be created or read. Nothing was written.',
      next: 'Choose another folder, or change its permissions.',
    },
    id_ambiguous: {
      means: 'Several IDs end with these characters. Nothing was changed.',
      next: 'Enter more characters of the ID.',
    },
    not_confirmed: {
      means: 'You did not confirm the action. Nothing was changed.',
      next: 'Run the command again if you change your mind.',
    },
    port_in_use: {
      means: 'Another program uses the port. Nothing was started.',
      next: 'Choose another port with `--port` or in the settings, or stop the other program.',
    },
    report_not_written: {
      means: 'The report cannot be written to this path. Nothing else was changed.',
      next: 'Choose a file in a folder that this user can write to.',
      document: 'docs/guides/operating.md#a-report-to-send',
    },
    sandbox_not_started: {
      means: 'The sandbox could not start.',
      next: 'The message names the cause. Correct the options, then start the sandbox again.',
      document: 'docs/guides/sandbox.md',
    },
    terminal_missing: {
      means: 'The command asks questions and needs a terminal. Nothing was written.',
      next: 'Run it in a terminal, or answer with options: `donor-sync init --yes --crm csv --csv-path FILE`.',
      document: 'docs/guides/getting-started-csv.md',
    },
    unexpected_error: {
      means: 'An unexpected error occurred. Any work finished before the error is kept.',
      next: 'Run the command again with DONOR_SYNC_LOG_LEVEL=debug, which shows where the error occurred, and report the error.',
      document: 'docs/guides/operating.md#when-something-is-wrong',
    },
    usage: {
      means:
        'The command line contains an unknown word, or an option is missing or invalid. Nothing was changed.',
      next: 'See `donor-sync COMMAND --help`.',
    },
  },
};
