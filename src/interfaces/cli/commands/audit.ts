import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { collect } from '../../../core/collect.ts';
import { FatalError } from '../../../core/errors.ts';
import { auditFilterShape } from '../../../operations/audit-filter.ts';
import type { AuditPlace } from '../../../privacy/audit/read-audit.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { verifyAudit } from '../../../privacy/audit/verify-audit.ts';
import {
  AUDIT_HEADER,
  type AuditPageFilter,
  type AuditView,
  actorText,
  auditLines,
  contactText,
  detailsText,
  pagesOfAudit,
} from '../../../privacy/audit-view.ts';
import { parseCount } from '../action/command.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { describeCount, formatTimestamp } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync audit                                      the last entries
  donor-sync audit --integration riverside --since 2026-11-01
  donor-sync audit --person anna --until 2026-11-15     what one user did, before a day
  donor-sync audit --action hold.decided --csv > decisions.csv
  donor-sync audit --json                               for scripts: { "entries": [...] }
  donor-sync audit verify                               whether nothing was changed or taken away
  donor-sync audit verify --known 1204:Jb3…             also against an end that was noted down

Who (a user of this machine, an access token, a schedule, a webhook) did what, on what, when and from
where: runs, decisions, undo, forget, settings, tokens, sign-ins, connections, views of names. Entries
name contacts by their ids; of contacts that were erased, not even that.`;

const DEFAULT_ENTRIES = 50;

const listSchema = baseOptions
  .extend({
    json: z.boolean().default(false),
    csv: z.boolean().default(false),
    ...auditFilterShape,
    limit: z.int().optional(),
  })
  .refine(({ csv, json }) => !(csv && json), { error: 'Either --csv or --json, not both.' });

const PLACE = /^(\d{1,15}):([\w-]+)$/;
const PLACE_WRONG = 'Write --known as `audit verify` prints it: a number, a colon and a hash.';

const verifySchema = baseOptions.extend({
  known: z
    .string()
    .regex(PLACE, { error: PLACE_WRONG })
    .transform((text): AuditPlace => {
      const [, seq = '', hash = ''] = PLACE.exec(text) ?? [];
      return { seq: Number(seq), hash };
    })
    .optional(),
});

/** The command `audit`: who did what. */
export function auditCommand(deps: ProductDeps): Command {
  const command = productCommand('audit', deps)
    .description('show who did what, or check that nothing of it was changed')
    .option('--since <day>', 'only entries from this day (UTC) or time on')
    .option('--until <day>', 'only entries before this day (UTC) or time')
    .option('--person <name>', 'only entries of users and access tokens with this in their names')
    .option('--integration <id>', 'only entries about this integration, also a former one')
    .option('--action <word>', 'only entries of this action')
    .option(
      '--limit <n>',
      `the newest so many (default: ${DEFAULT_ENTRIES}; all with --csv or --json)`,
      parseCount,
    )
    .option('--csv', 'print a CSV file on stdout')
    .addHelpText('after', EXAMPLES);
  productAction(deps, command, listSchema, async ({ application, options, output }) => {
    const { since, until, person, integration, action, csv } = options;
    const filter = {
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
      person,
      integrationId: integration,
      action,
    };
    const isExport = csv || output.isJson;
    const limit = options.limit ?? (isExport ? Number.POSITIVE_INFINITY : DEFAULT_ENTRIES);
    if (isExport) await recordExport(application, options);
    if (csv) return printCsv(deps, application, filter, limit);
    const entries = (await collect(pagesOfAudit(application.store, filter, limit))).flat();
    output.finish({ entries }, () => printEntries(output, entries));
    return EXIT_CODES.done;
  });
  return command.addCommand(verifyCommand(deps));
}

function recordExport({ store }: Application, { integration }: z.infer<typeof listSchema>) {
  return noteEntries(store.act, [{ action: 'audit.exported', integrationId: integration ?? null }]);
}

/** Straight to stdout, as it is read. */
async function printCsv(
  { stdout }: Pick<ProductDeps, 'stdout'>,
  { store }: Application,
  filter: AuditPageFilter,
  limit: number,
) {
  stdout.write(AUDIT_HEADER);
  for await (const entries of pagesOfAudit(store, filter, limit)) stdout.write(auditLines(entries));
  return EXIT_CODES.done;
}

function printEntries(output: Output, entries: readonly AuditView[]): void {
  if (entries.length === 0) {
    output.print('No entry.');
    return;
  }
  output.table<AuditView>(
    [
      { header: 'Entry', value: ({ seq }) => String(seq), align: 'right' },
      { header: 'When', value: ({ at }) => formatTimestamp(at) },
      { header: 'Who', value: ({ who }) => actorText(who), shrinks: true },
      { header: 'From', value: ({ who }) => who.from ?? '', shrinks: true },
      { header: 'Action', value: ({ action }) => action },
      { header: 'Integration', value: ({ integration }) => integration ?? '', shrinks: true },
      { header: 'Contact', value: contactText },
      { header: 'Details', value: detailsText, shrinks: true },
    ],
    entries,
  );
}

function verifyCommand(deps: ProductDeps): Command {
  const command = productCommand('verify', deps)
    .description('check that no entry was changed, put in or taken away')
    .option('--known <end>', 'an end of the chain that was noted down earlier')
    .addHelpText(
      'after',
      '\nExit code 0: no change was found. 1: one was found, and the message says which. Only with --known is the verdict\n"intact": without it, "cannot tell" whether the end is gone.',
    );
  return productAction(
    deps,
    command,
    verifySchema,
    async ({ application, options, output }) => {
      const check = await verifyAudit(application.store, options.known ?? null);
      const { entries, end, purgedThrough, problems } = check;
      if (problems.length > 0) {
        throw new FatalError(`The audit was changed. ${problems.join(' ')}`, {
          code: 'audit_changed',
          details: { problems },
        });
      }
      const place = end === null ? null : `${end.seq}:${end.hash}`;
      const verdict = options.known === undefined ? 'cannot_tell' : 'intact';
      output.finish({ audit: { verdict, entries, end: place, purgedThrough } }, () => {
        const purged = purgedThrough === 0 ? '' : ` Those up to ${purgedThrough} were purged.`;
        output.print(
          `${describeCount(entries, 'entry', 'entries')}, and nothing in them was changed.${purged}`,
        );
        if (options.known === undefined) {
          output.print(
            'Whether entries at the end, or the whole audit before it was begun anew, are gone together with their signed end, the database alone cannot tell.',
          );
        }
        if (place === null) return;
        output.print(`The chain ends at ${place}`);
        output.print(
          'Note that down outside of the database: `donor-sync audit verify --known` shows later that nothing before it is gone.',
        );
      });
      return EXIT_CODES.done;
    },
    { recordsSettings: false },
  );
}
