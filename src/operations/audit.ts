/** The audit: who did what, as pages and as a whole, and whether anything in it was changed. */
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

/** More than an audit that is purged as the settings say ever holds. */
const MAX_EXPORTED = 10_000_000;

const entrySchema = z
  .object({
    seq: z.int().describe('1, 2, 3, … without a gap'),
    at: z.iso.datetime(),
    who: z.object({
      kind: z.enum(ACTOR_KINDS),
      name: z.string().nullable().describe('Of the user or of the access token'),
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
    'Callers who reach some clients get the entries about those alone. Contacts are named by their IDs, and not at all once they are erased. `POST /v1/audit/verify` checks that nothing was changed.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...auditFilterShape,
    limit: limitUpTo(MAX_PAGE, DEFAULT_PAGE).describe('The most entries to list, 50 by default'),
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
  remarks: ({ next }) => (next === null ? [] : [`There are more: add --cursor ${next}`]),
});

export const exportAudit = reading({
  name: 'audit export',
  summary: 'Export who did what, all of it, and record that it was exported',
  details: 'The entries are those of `GET /v1/audit`, in one CSV file.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...auditFilterShape,
    limit: rowsUpTo(MAX_EXPORTED)
      .optional()
      .describe('The newest entries, so many of them; all if left out'),
  }),
  subjects: [],
  result: z.object({ entries: z.array(entrySchema) }),
  records: (world, { integration = null }) => {
    // Callers who do not reach a client leave nothing in its audit.
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
const PLACE_WRONG = 'Write the end as `audit verify` prints it: a number, a colon and a hash.';

export const verifyAudit = reading({
  name: 'audit verify',
  summary: 'Check that no entry of the audit was changed, put in or taken away',
  details:
    'It starts the check, or finds the one in progress, and answers after a few seconds at the latest, with `isRunning` if it is not at its end: ask again. Each process has its own. Only with `known` is the verdict `intact`: without it, nobody can tell whether the end is gone.',
  role: 'admin',
  reach: 'all',
  by: 'person+token',
  input: z.object({
    known: z
      .string()
      .regex(PLACE, { error: PLACE_WRONG })
      .optional()
      .describe('An end of the chain that was noted down earlier'),
  }),
  subjects: [],
  result: z
    .object({
      isRunning: z.boolean(),
      verdict: z
        .enum(['intact', 'cannot_tell', 'changed'])
        .nullable()
        .describe('Null while it goes on, or if it could not be carried to its end'),
      checked: z.int().describe('Entries checked so far, of so many'),
      of: z.int(),
      finishedAt: z.iso.datetime().nullable(),
      problems: z.array(z.string()).describe('Empty if nothing was changed'),
      end: z.string().nullable().describe('Where the chain ends: note it down elsewhere'),
      purgedThrough: z.int().describe('The last entry that was purged; 0 if none was'),
    })
    .meta({ id: 'AuditCheck' }),
  run: (world, { known }) => world.checkAudit(toPlace(known)),
  say({ isRunning, verdict, checked, of, end, purgedThrough }) {
    if (isRunning) return `${checked} of ${describeCount(of, 'entry', 'entries')} are checked.`;
    const purged = purgedThrough === 0 ? '' : ` Those up to ${purgedThrough} were purged.`;
    return [
      `${describeCount(checked, 'entry', 'entries')}, and nothing in them was changed.${purged}`,
      ...(verdict === 'cannot_tell'
        ? [
            'Whether entries at the end, or the whole audit before it was begun anew, are gone together with their signed end, the database alone cannot tell.',
          ]
        : []),
      ...(end === null
        ? []
        : [
            `The chain ends at ${end}`,
            'Note that down outside of the database: `donor-sync audit verify --known` shows later that nothing before it is gone.',
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
    empty: 'No entry.',
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
