/**
 * Finds error codes for which several places create an error. Each place would describe the same error with different
 * words. Prints these codes, and exits with 1 if there are any. `npm run lint` runs this script. If a second place
 * needs the error, it should call the function of the first place. If this is impossible, add the code to the list
 * below with the reason.
 */
import { type CodePlace, findErrorCodes } from './error-codes.ts';

interface Exception {
  why: string;
  /** The files that may create the code. A file occurs once for each place in the file. */
  codes: Readonly<Record<string, readonly string[]>>;
}

const HUBSPOT = 'connectors/hubspot';
const SALESFORCE = 'connectors/salesforce';

/**
 * Returns the file as often as it has places that create the code. If the file gets another such place, the check
 * fails.
 */
function times(count: number, file: string): string[] {
  return Array<string>(count).fill(file);
}

const EXCEPTIONS: readonly Exception[] = [
  {
    why: 'Each CRM responds with its own text and needs its own fix, which the message states.',
    codes: {
      csv_file_unusable: [
        'connectors/csv/header.ts',
        'connectors/csv/sources/source.ts',
        'connectors/csv/sources/workbook.ts',
      ],
      crm_field_missing: [
        'connectors/civicrm/lookup.ts',
        'connectors/marks/mark-fields.ts',
        ...['contact.ts', 'lookup.ts', 'marks.ts'].map((file) => `${HUBSPOT}/${file}`),
        ...['employer.ts', 'lookup.ts'].map((file) => `${SALESFORCE}/${file}`),
        ...times(2, `${SALESFORCE}/marks.ts`),
      ],
      crm_field_unsuitable: [`${HUBSPOT}/marks.ts`, `${SALESFORCE}/exclusions.ts`],
      crm_filter_invalid: [
        ...['connectors/civicrm/filter.ts', `${SALESFORCE}/filter.ts`],
        ...times(2, `${HUBSPOT}/filter.ts`),
      ],
      crm_limit_reached: ['connectors/requests/daily-limit.ts', `${SALESFORCE}/bulk/bulk-job.ts`],
      crm_request_refused: ['connectors/requests/errors.ts', `${SALESFORCE}/bulk/bulk-job.ts`],
      crm_scope_missing: [
        ...[`${HUBSPOT}/errors.ts`, `${HUBSPOT}/sign-in/scopes.ts`],
        `${SALESFORCE}/sign-in/consent.ts`,
      ],
      crm_unauthorized: [
        ...[
          'connectors/requests/errors.ts',
          ...times(2, `${HUBSPOT}/sign-in/auth.ts`),
          `${HUBSPOT}/sign-in/oauth.ts`,
        ],
        ...[...times(4, `${SALESFORCE}/sign-in/auth.ts`), 'src/outbound/sign-in.ts'],
      ],
      crm_unavailable: [
        ...[
          'connectors/requests/errors.ts',
          `${HUBSPOT}/find-records.ts`,
          'src/clients/consents.ts',
        ],
        ...[`${HUBSPOT}/sign-in/consent.ts`, `${HUBSPOT}/sign-in/oauth.ts`],
        ...[...times(2, `${SALESFORCE}/bulk/bulk-job.ts`), `${SALESFORCE}/bulk/bulk-query.ts`],
        ...[`${SALESFORCE}/rows/collections.ts`, `${SALESFORCE}/sign-in/auth.ts`],
      ],
      opt_out_values_missing: [`${HUBSPOT}/marks.ts`, `${SALESFORCE}/marks.ts`],
      opt_out_values_unknown: [
        ...[`${HUBSPOT}/marks.ts`, `${SALESFORCE}/marks.ts`],
        'connectors/marks/yes-or-no.ts',
      ],
    },
  },
  {
    why: 'The message says what a run was doing when it stopped, and how the next one continues.',
    codes: {
      credits_exhausted: ['src/credits/spend.ts', 'src/networks/follow-adds.ts'],
      interrupted: [
        ...['connectors/requests/stopped.ts', 'src/interfaces/cli/action/integrations.ts'],
        ...['src/networks/find-memberships.ts', ...times(2, 'src/sync/control/control.ts')],
      ],
      match_rate_low: times(2, 'src/sync/trial/trial-round.ts'),
      partner_unavailable: [
        ...['src/credits/spend.ts', 'src/paths/compare-donors.ts'],
        ...['src/sync/poll.ts', 'src/sync/trial/trial-round.ts'],
      ],
      restore_unconfirmed: [...times(3, 'src/credits/confirm.ts'), 'src/sync/run.ts'],
    },
  },
  {
    why: 'One code for two kinds of errors: the user has to fix the one, and the other can be retried.',
    codes: {
      csv_file_error: times(2, 'connectors/csv/file-errors.ts'),
      database_in_use: ['src/backup/move-store.ts', 'src/database/sqlite/sqlite-copy.ts'],
    },
  },
  {
    why: 'The finding differs, and so does the fix. The message states both.',
    codes: {
      consent_not_wanted: ['src/clients/consents.ts', 'src/outbound/sign-in.ts'],
      database_damaged: ['src/database/sqlite/sqlite-copy.ts', 'src/database/store-error.ts'],
      schema_behind: ['src/application.ts', 'src/jobs/engine/pg-boss.ts'],
      secret_key_missing: [
        ...['src/database/encryption/key-ring.ts', 'src/interfaces/cli/commands/move.ts'],
        'src/interfaces/cli/commands/backup/backup.ts',
      ],
      settings_invalid: [
        ...['src/clients/settings-document.ts', 'src/interfaces/cli/commands/init/add.ts'],
        'src/settings/settings.ts',
      ],
    },
  },
];

/** Returns the problems with these codes. A code is correct if only one place creates it, or if it is in the list. */
export function listRepeated(codes: ReadonlyMap<string, readonly CodePlace[]>): string[] {
  const excepted = new Map(EXCEPTIONS.flatMap(({ codes: each }) => Object.entries(each)));
  const gone = [...excepted.keys()].filter((code) => !codes.has(code));
  return [
    ...gone.map((code) => `${code} is no longer a code: remove it from the list`),
    ...[...codes].flatMap(([code, places]) => {
      const created = places.filter(({ isCreated }) => isCreated);
      const lines = [...new Set(created.map(({ file, line }) => `${file}:${line}`))];
      const files = lines.map((place) => place.replace(/:\d+$/, '')).sort();
      const allowed = excepted.get(code);
      if (allowed === undefined) {
        return lines.length > 1 ? [`${code} occurs in several places: ${lines.join(', ')}`] : [];
      }
      if (lines.length < 2) return [`${code} occurs in one place: remove it from the list`];
      const isAsListed = files.join() === [...allowed].sort().join();
      return isAsListed ? [] : [`${code} is not listed with these places: ${lines.join(', ')}`];
    }),
  ];
}

if (import.meta.main) {
  const problems = listRepeated(findErrorCodes().codes);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
