/** Lists and exports the audit, and checks whether someone has changed an entry. */
import { z } from 'zod';
import { ACTOR_KINDS } from '../core/actor.ts';
import { collect } from '../core/collect.ts';
import { toCsvParts } from '../core/csv-parts.ts';
import { readCursor, writeCursor } from '../core/cursor.ts';
import { FatalError } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import type { AuditPlace } from '../privacy/audit/read-audit.ts';
import {
  AUDIT_HEADER,
  type AuditPageFilter,
  actorText,
  auditLines,
  contactText,
  detailsText,
  pagesOfAudit,
  readAuditPage,
} from '../privacy/audit-view.ts';
import { auditFilterShape } from './audit-filter.ts';
import { hasAccess } from './find-decision.ts';
import { reading, type TableView, type World } from './kit/operation.ts';
import { CURSOR, limitUpTo, NEXT, rowsUpTo } from './kit/pages.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

/** The maximum number of exported entries. An audit never becomes this long if old entries are purged. */
const MAX_EXPORTED = 10_000_000;

const entrySchema = z
  .object({
    seq: z.int().describe('1, 2, 3, … without a gap'),
    at: z.iso.datetime(),
    who: z.object({
      kind: z.enum(ACTOR_KINDS),
      name: z.string().nullable().describe('The name of the user or the access token'),
      from: z.string().nullable().describe('The machine or the address'),
    }),
    action: z.string(),
    integration: z.string().nullable(),
    contact: z.string().nullable().describe('The ID of the contact in its CRM'),
    contactErased: z.boolean(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    readable: z.boolean().describe('False if it was changed in the database'),
  })
  .meta({ id: 'AuditEntry' });

type Entry = z.output<typeof entrySchema>;

export const listAudit = reading({
  name: 'audit',
  summary: 'List who did what, the newest first',
  details:
    "Callers with access to only some clients get only those clients' entries. Contacts appear by ID until they are erased. `POST /v1/audit/verify` checks that nothing was changed.",
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...auditFilterShape,
    limit: limitUpTo(MAX_PAGE, DEFAULT_PAGE).describe(
      'The maximum number of entries to list, 50 by default',
    ),
    cursor: CURSOR,
  }),
  subjects: [],
  result: z.object({ entries: z.array(entrySchema), next: NEXT }),
  async run(world, { limit, cursor, ...filter }) {
    const before = cursor === undefined ? undefined : readCursor(cursor)[0];
    const page = await readAuditPage(world, toFilter(world, filter), { before, limit });
    const next = page.next === null ? null : writeCursor([page.next, 'audit']);
    return { entries: page.entries, next };
  },
  say: ({ entries }) => `${describeCount(entries.length, 'entry', 'entries')}.`,
  table: ({ entries }) => tableOf(entries),
  remarks: ({ next }) => (next === null ? [] : [`For more entries, add --cursor ${next}`]),
});

export const exportAudit = reading({
  name: 'audit export',
  summary: 'Export the whole audit, and record the export in it',
  details: 'One CSV file with the same entries as `GET /v1/audit`.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...auditFilterShape,
    limit: rowsUpTo(MAX_EXPORTED)
      .optional()
      .describe('The number of newest entries to export; all entries if omitted'),
  }),
  subjects: [],
  result: z.object({ entries: z.array(entrySchema) }),
  records: (world, { integration = null }) => {
    // Callers cannot add audit entries about clients to which they have no access.
    const isReached = integration !== null && hasAccess(world, integration);
    return [{ action: 'audit.exported', integrationId: isReached ? integration : null }];
  },
  async run(world, { limit, ...filter }) {
    return { entries: (await collect(pagesOfAudit(world, toFilter(world, filter), limit))).flat() };
  },
  stream: {
    file: 'audit.csv',
    parts(world, { limit, ...filter }) {
      const pages = pagesOfAudit(world, toFilter(world, filter), limit);
      return toCsvParts(AUDIT_HEADER, pages, auditLines);
    },
  },
  say: ({ entries }) => `${describeCount(entries.length, 'entry', 'entries')}.`,
  table: ({ entries }) => tableOf(entries),
});

const PLACE = /^(\d{1,15}):([\w-]+)$/;
const PLACE_WRONG = 'Enter the end as `audit verify` prints it: a number, a colon and a hash.';

export const verifyAudit = reading({
  name: 'audit verify',
  summary: 'Check that no entry of the audit was changed, added or removed',
  details:
    'The request starts a check or joins the check in progress, and receives a response within a few seconds. If `isRunning` is true, the check has not finished: repeat the request. Each process runs its own check. The verdict can be `intact` only with `known`: without it, missing entries at the end cannot be detected.',
  role: 'admin',
  reach: 'all',
  by: 'person+token',
  input: z.object({
    known: z
      .string()
      .regex(PLACE, { error: PLACE_WRONG })
      .optional()
      .describe('An end of the chain that you saved earlier'),
  }),
  subjects: [],
  result: z
    .object({
      isRunning: z.boolean(),
      verdict: z
        .enum(['intact', 'cannot_tell', 'changed'])
        .nullable()
        .describe('Null while the check is in progress, or if it could not finish'),
      checked: z.int().describe('Number of entries checked so far; `of` is the total'),
      of: z.int(),
      finishedAt: z.iso.datetime().nullable(),
      problems: z.array(z.string()).describe('Empty if nothing was changed'),
      end: z.string().nullable().describe('The end of the chain: save it outside the database'),
      purgedThrough: z.int().describe('The last entry that was purged; 0 if none was'),
    })
    .meta({ id: 'AuditCheck' }),
  run: (world, { known }) => world.checkAudit(toPlace(known)),
  say({ isRunning, verdict, checked, of, end, purgedThrough }) {
    if (isRunning) return `${checked} of ${describeCount(of, 'entry', 'entries')} checked.`;
    const purged = purgedThrough === 0 ? '' : ` Entries up to ${purgedThrough} were purged.`;
    return [
      `${describeCount(checked, 'entry', 'entries')} checked, and none was changed.${purged}`,
      ...(verdict === 'cannot_tell'
        ? [
            'The database alone cannot show whether someone removed the last entries and the signed end. It also cannot show whether someone removed the whole audit and it started again.',
          ]
        : []),
      ...(end === null
        ? []
        : [
            `The chain ends at ${end}`,
            'Save that line outside the database. Later, `donor-sync audit verify --known` can use it to prove that no earlier entry is missing.',
          ]),
    ];
  },
  error: ({ problems }) =>
    problems.length === 0
      ? null
      : new FatalError(`The audit was changed. ${problems.join(' ')}`, {
          code: 'audit_changed',
          details: { problems },
        }),
});

function toPlace(text: string | undefined): AuditPlace | null {
  const [, seq, hash] = PLACE.exec(text ?? '') ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

type Filter = Partial<Record<'since' | 'until' | 'person' | 'integration', string | undefined>> &
  Pick<AuditPageFilter, 'action'>;

function toFilter(
  { caller: { clients } }: Pick<World, 'caller'>,
  { since, until, integration, ...filter }: Filter,
): AuditPageFilter {
  return {
    ...filter,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    integrationId: integration,
    integrationIds: clients === null ? undefined : [...clients],
  };
}

function tableOf(entries: readonly Entry[]): TableView {
  return {
    empty: 'No entries.',
    headers: ['Entry', 'When', 'Who', 'From', 'Action', 'Client', 'Contact', 'Details'],
    rows: entries.map((entry) => {
      const { seq, at, who, action, integration } = entry;
      return [
        ...[String(seq), { on: at }, actorText(who), who.from ?? '', action, integration ?? ''],
        ...[contactText(entry), detailsText(entry)],
      ];
    }),
  };
}
