import type { ErrorTopic } from './explanation.ts';

/** Errors of contact files. */
export const CSV_ERRORS: ErrorTopic = {
  document: 'docs/guides/settings.md#crm-of-a-csv-file',
  codes: {
    csv_column_missing: {
      means: 'A group uses a column that is not in the file. Its network was not changed.',
      next: 'Correct the column in the settings, or add it to the file.',
    },
    csv_column_twice: {
      means:
        'A group uses a column whose name appears twice in the file. Its network was not changed.',
      next: 'Rename one of the two columns.',
    },
    csv_file_changed: {
      means:
        'Another program changed the file while donor-sync was reading or writing it. The results were not mixed.',
      next: 'Try again once the other program has finished. To replace a file, write a new file and rename it.',
    },
    csv_file_error: {
      means: 'The system refused to read or write the file.',
      next: 'Check the path in the settings, the permissions and the free space on the disk.',
    },
    csv_file_unusable: {
      means:
        'The file is not a table that donor-sync can read. No contact was read, and nothing was spent.',
      next: 'Correct the rows in the message. `crm.badRows: skip` continues without unreadable rows.',
      costs: 'Nothing.',
    },
    csv_filter_unsupported: {
      means:
        'The settings contain `contacts.filter`, but donor-sync cannot filter a CSV file. No contact was read.',
      next: 'Remove `contacts.filter` from the settings, and delete the unwanted rows from the file.',
    },
    csv_journal_shared: {
      means: 'Another donor-sync process is writing to the same file. Nothing was lost.',
      next: 'Wait until the other process has finished, and use the file for only one client.',
    },
    csv_output_needed: {
      means: 'The results cannot be written to this kind of file. Nothing was changed.',
      next: 'Set `crm.output` to a file whose name ends with `.csv`.',
    },
    csv_unreadable: {
      means: 'The file does not contain a readable table. Nothing was saved.',
      next: 'Save it as CSV in UTF-8, or as an .xlsx workbook, with the column names in the first row.',
    },
  },
};
