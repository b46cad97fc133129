import type { ErrorTopic } from './explanation.ts';

const OPERATING = 'docs/guides/operating.md#exit-codes';

/** The command line itself. */
export const COMMAND_ERRORS: ErrorTopic = {
  document: OPERATING,
  codes: {
    cancelled: {
      means: 'You cancelled the command, or did not agree to its question. Nothing was written.',
      next: 'Run the command again.',
    },
    confirmation_missing: {
      means:
        'The command asks for confirmation, but there is no terminal for the question. Nothing was changed.',
      next: 'Add `--yes` if you agree to the action in the message.',
    },
    code_unknown: {
      means: 'This version has neither a command nor a code with this name.',
      next: 'Copy the code from the message or the report. `donor-sync --help` lists the commands.',
    },
    faults_unreadable: {
      means: 'The file with the faults of the stand-in cannot be read. It did not start.',
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
      means: 'Several records have an ID with this end. Nothing was changed.',
      next: 'Enter more of the ID.',
    },
    not_confirmed: {
      means: 'You did not agree to the question. Nothing was changed.',
      next: 'Run the command again if you change your mind.',
    },
    port_in_use: {
      means: 'Another program uses the port. Nothing was started.',
      next: 'Choose another port with `--port` or in the settings, or stop the other program.',
    },
    report_not_written: {
      means: 'The report cannot be written to this path. Nothing else was changed.',
      next: 'Name a file in a folder that this user can write to.',
      document: 'docs/guides/operating.md#a-report-to-send',
    },
    sandbox_not_started: {
      means: 'The stand-in could not start.',
      next: 'Read the cause in the message and correct the options.',
      document: 'docs/guides/sandbox.md',
    },
    terminal_missing: {
      means: 'The command asks questions and needs a terminal. Nothing was written.',
      next: 'Run it in a terminal, or answer with options: `donor-sync init --yes --crm csv --csv-path FILE`.',
      document: 'docs/guides/getting-started-csv.md',
    },
    unexpected_error: {
      means: 'An unexpected error occurred. Work that was finished before it stays.',
      next: 'Repeat the command with DONOR_SYNC_LOG_LEVEL=debug, which shows where it happened, and report it.',
      document: 'docs/guides/operating.md#when-something-is-wrong',
    },
    usage: {
      means:
        'The command line has an unknown word or a missing or invalid option. Nothing was changed.',
      next: 'See `donor-sync COMMAND --help`.',
    },
  },
};
