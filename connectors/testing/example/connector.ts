/** The connector of the small CRM in `api.ts`. The connector is an example of how to use the kit's HTTP functions. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type CrmField, type FieldValue, plainField } from '../../../src/core/crm-field.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
  ContactChange,
  ContactPage,
  ContactsSettings,
  Overwritten,
  RecordLookup,
  Refusal,
  RefusalCause,
  WriteResult,
} from '../../contract.ts';
import { requireMarkFields } from '../../marks/mark-fields.ts';
import { readMarks } from '../../marks/mark-values.ts';
import { checkByOpening, plainConnector, refusedWrite, requireKnown } from '../../plain.ts';
import { unknownGroup } from '../../reading/group-members.ts';
import { toNameWords } from '../../reading/name-search.ts';
import { type OffsetPagesOptions, readOffsetPages } from '../../reading/offset-pages.ts';
import { createHttp, type DailyOptions, type Http } from '../../requests/http.ts';
import { inLanes } from '../../requests/lanes.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import type { CrmWebhooks } from '../../webhooks.ts';
import { collect } from '../readings.ts';
import { EXAMPLE_WEBHOOKS } from './webhooks.ts';

const settingsSchema = z.strictObject({
  kind: z.literal('example'),
  url: z.url(),
  apiKey: z.string().min(1),
});

export type ExampleSettings = z.infer<typeof settingsSchema>;

/** Mistakes that `mistakes.ts` can add to the example connector. The connector is correct where a member is omitted. */
export interface ExampleFlaws {
  readRows?(options: OffsetPagesOptions<Row>): AsyncGenerator<Row[]>;
  isPassing?(reply: { status: number }): boolean;
  replacesRecords?: boolean;
  readMembers?(options: OffsetPagesOptions<string>): AsyncGenerator<string[]>;
  /** The cursor is the time of the newest change that the connector has read. */
  takesNewestEdit?: boolean;
  /** True if the CRM treats a repeated change as a new change. */
  forgetsRequests?: boolean;
  /** True if several changes to one contact are in flight at the same time. */
  letsChangesRace?: boolean;
  /** The connector returns options in the order in which the CRM stores them. */
  keepsOrder?: boolean;
  requireFields?(contacts: ContactsSettings, fields: Iterable<string>): void;
  canonicalId?(text: string): string | null;
  /** The connector reads the options of a mark field as a single string. */
  joinsMarks?: boolean;
  /** The connector derives the idempotency key of a change from the changed values. */
  keyFromValues?: boolean;
  /** The CRM applies a change of a merged contact to the contact that remains. */
  followsMerges?: boolean;
  webhooks?: CrmWebhooks;
  /** The connector reads removals until a page is empty. */
  endsRemovalsAtEmptyPage?: boolean;
  /** Returns true for an error that the connector treats as an empty list of removals. */
  swallowsRemovals?(error: unknown): boolean;
  /** Returns the groups that the name in the settings selects. */
  findGroups?(groups: readonly ExampleGroup[], name: string): readonly ExampleGroup[];
  /** The cursor is the time of the first page of contacts. The connector reads this page after the list of removals. */
  takesTimeOfContacts?: boolean;
  /** Returns the reason to exclude a contact, based on the marks that the CRM itself stores. */
  excludedBy?(marks: OwnMarks, contacts: ContactsSettings): Exclusion | null;
  readDaily?: DailyOptions['read'];
  /** The message about a refused change quotes the CRM's text. */
  quotesRefusals?: boolean;
}

const rowSchema = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
  deceased: z.boolean(),
  doNotContact: z.boolean(),
  changedAt: z.number(),
  fields: z.record(z.string(), z.string()),
});

type Row = z.infer<typeof rowSchema>;

const pageSchema = z.object({ asOf: z.number(), total: z.number(), rows: z.array(rowSchema) });
const removedSchema = z.object({ id: z.string(), mergedInto: z.string().nullable() });
const removalsSchema = z.object({
  ...{ asOf: z.number(), total: z.number(), rows: z.array(removedSchema) },
});
const lookupSchema = z.object({ rows: z.array(rowSchema), removed: z.array(removedSchema) });
const fieldsSchema = z.array(
  z.object({
    name: z.string(),
    label: z.string(),
    type: z.enum(['text', 'number', 'currency', 'boolean', 'date', 'datetime', 'multiPicklist']),
    maxLength: z.number().nullable(),
    decimalDigits: z.number().nullable(),
    options: z.array(z.string()),
  }),
);
type ExampleFields = ReadonlyMap<string, z.infer<typeof fieldsSchema>[number]>;

const patchedSchema = z.object({ before: z.record(z.string(), z.string().nullable()).optional() });
const idsSchema = z.object({ total: z.number(), rows: z.array(z.string()) });
const groupSchema = z.object({ id: z.string(), name: z.string(), members: z.number() });
const groupsSchema = z.array(groupSchema);

export type ExampleGroup = z.infer<typeof groupSchema>;

/** The fields of the CRM that mark contacts. */
export type OwnMarks = Pick<Row, 'deceased' | 'doNotContact'>;

type Exclusion = 'deceased' | 'do_not_contact';

const refusalSchema = z.object({ error: z.string(), field: z.string().nullish() });

const CAPABILITIES: Capabilities = {
  ...plainConnector.capabilities,
  incremental: true,
  reportsRemovals: true,
  createsFields: true,
  writesTogether: true,
  tellsOverwritten: 'write',
  remote: true,
  groups: ['group'],
};

/** Defines the example's kind of CRM. `flaws` adds deliberate mistakes. */
export function defineExampleConnector(
  flaws: ExampleFlaws = {},
): ConnectorDefinition<ExampleSettings> {
  const definition: ConnectorDefinition<ExampleSettings> = {
    contract: 2,
    kind: 'example',
    about: { kind: 'example', name: 'Example', webhooks: flaws.webhooks ?? EXAMPLE_WEBHOOKS },
    settingsSchema,
    groupSchema: z.strictObject({ group: z.string() }),
    defaultFields: [{ from: 'donorId', to: 'note', when: 'unlessEdited' }],
    open: (options) => openExample(options, flaws),
    check: (options) => checkByOpening(() => definition.open(options)),
    canonicalId: flaws.canonicalId ?? canonicalExampleId,
    otherForms: (id) => [`000${id}`],
  };
  return definition;
}

/** Returns the ID in the form that the CRM uses. Users may type zeros before the ID. */
function canonicalExampleId(text: string): string | null {
  return /^\s*0*([1-9]\d*)\s*$/.exec(text)?.[1] ?? null;
}

async function openExample(
  { settings, contacts, deps }: ConnectorOptions<ExampleSettings>,
  {
    readRows = readOffsetPages,
    isPassing,
    replacesRecords = false,
    readMembers = readOffsetPages,
    takesNewestEdit = false,
    forgetsRequests = false,
    letsChangesRace = false,
    keepsOrder = false,
    requireFields = requireMarkFields,
    joinsMarks = false,
    keyFromValues = false,
    followsMerges = false,
    swallowsRemovals = () => false,
    findGroups = (groups, name) => groups.filter((group) => group.name === name),
    takesTimeOfContacts = false,
    endsRemovalsAtEmptyPage = false,
    excludedBy = exclusionOf,
    quotesRefusals = false,
    readDaily = readDailyLimit,
  }: ExampleFlaws,
): Promise<Connector> {
  requireKnown(contacts, [
    ...(['filter', 'optOutField', 'optOutValues', 'deceasedField'] as const),
    ...(['deceasedValues', 'doNotContactField', 'doNotContactValues'] as const),
    ...(['includeDeceased', 'includeDoNotContact'] as const),
  ]);
  const lastName = readFilter(contacts);
  const http = createHttp({
    crm: 'Example',
    url: settings.url,
    deps,
    headers: { 'x-api-key': settings.apiKey },
    daily: { read: readDaily },
    ...(isPassing === undefined ? {} : { isPassing }),
  });
  const account = await http.read(
    { path: '/account' },
    z.object({ id: z.string(), name: z.string() }),
  );
  let described = await readFields(http);
  requireFields(contacts, described.keys());

  return {
    ...plainConnector,
    kind: 'example',
    capabilities: CAPABILITIES,
    account,
    readPages,
    async readByIds(ids, fields) {
      if (ids.length === 0) return [];
      const { rows, removed } = await lookUp(ids.map((id) => canonicalExampleId(id) ?? id));
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id): RecordLookup => {
        const known = canonicalExampleId(id) ?? id;
        const row = found.get(known);
        const gone = removed.find((one) => one.id === known);
        if (row === undefined && gone !== undefined) return { state: 'removed', ...gone, id };
        if (row === undefined) return { state: 'missing', id };
        const values = fields.map((name) => [name, toValue(name, row.fields[name])]);
        return { state: 'found', id, contact: toContact(row), values: Object.fromEntries(values) };
      });
    },
    async findMerged(id) {
      const pages = readOffsetPages({
        what: 'merges',
        take: 100,
        idOf: (merged: string) => merged,
        read: async (skip, take) => {
          throwIfStopped(deps.signal);
          const path = `/contacts/${encodeURIComponent(canonicalExampleId(id) ?? id)}/merged`;
          return http.read({ path, query: { skip, take } }, idsSchema);
        },
      });
      return (await collect(pages)).flat();
    },
    async findIncluded(ids) {
      const { rows } = await lookUp(ids);
      return new Set(rows.filter(isIncluded).map(({ id }) => id));
    },
    async *findMarked() {
      if (lastName === undefined) return;
      for await (const rows of pagesOf({})) {
        const outside = rows.filter((row) => !isIncluded(row) && toContact(row).optedOut);
        yield outside.map(({ id }) => id);
      }
    },
    async search(text, most) {
      const words = toNameWords(text);
      if (words.length === 0) return [];
      const json = { words, lastName: lastName ?? null, limit: most };
      const request = { method: 'POST', path: '/search', json, isWrite: false } as const;
      return (await http.read(request, z.object({ ids: z.array(z.string()) }))).ids;
    },
    automaticMarks: () => [
      { kind: 'deceased', fields: ['deceased'] },
      { kind: 'doNotContact', fields: ['doNotContact'] },
    ],
    write(changes) {
      const begun = new Set<string>();
      return inLanes(changes, {
        lanes: 4,
        // Changes to one contact must arrive in the order in which they were made.
        mustWait: ({ id }) => !letsChangesRace && begun.has(id),
        work: async (change) => {
          begun.add(change.id);
          throwIfStopped(deps.signal);
          return [await writeOne(change)];
        },
      });
    },
    async describeFields() {
      const fields = await http.read({ path: '/fields' }, fieldsSchema);
      return fields.map(
        ({ name, ...field }): CrmField => ({
          ...plainField(name),
          ...field,
          restricted: field.options.length > 0,
        }),
      );
    },
    async createFields(specs) {
      const made = [];
      for (const { name, label } of specs) {
        const request = { method: 'POST', path: '/fields', json: { name, label } } as const;
        const answer = await http.ask(request, z.object({ name: z.string() }));
        const problem = answer.ok || answer.status === 409 ? null : 'Create the field by hand.';
        const result = answer.ok ? 'created' : problem === null ? 'existed' : 'failed';
        made.push({ name, result, problem } as const);
      }
      described = await readFields(http);
      return made;
    },
    async listGroups() {
      const groups = await http.read({ path: '/groups' }, groupsSchema);
      return groups.map(({ name, members }) => ({
        ...{ selector: { group: name }, name, memberCount: members },
      }));
    },
    async *readGroup({ group: name }) {
      const groups = await http.read({ path: '/groups' }, groupsSchema);
      const [group, ...others] = findGroups(groups, String(name));
      if (group === undefined || others.length > 0) {
        throw unknownGroup(
          'Example does not have exactly one group of this name: correct networks[].group.',
        );
      }
      yield* readMembers({
        what: 'members',
        take: 100,
        idOf: (id: string) => id,
        read: async (skip, take) => {
          throwIfStopped(deps.signal);
          const path = `/groups/${encodeURIComponent(group.id)}/members`;
          return http.read({ path, query: { skip, take } }, idsSchema);
        },
      });
    },
    readLimits: async () => http.limits(),
    close: async () => http.close(),
  };

  /**
   * Yields contacts in pages. The first pages contain the contacts that were removed. The contacts are sorted by ID, so
   * a later reading can continue only after the last page.
   */
  async function* readPages(cursor: string | null): AsyncGenerator<ContactPage> {
    let asOf: number | null = null;
    let newest = 0;
    let waiting: Row[] = [];
    const since = cursor ?? undefined;
    const noteTime = (at: number) => {
      // The time of the first request. If a contact changes during the reading, the next reading reads the contact
      // again.
      asOf ??= at;
    };
    try {
      for await (const removed of removalsSince(since, takesTimeOfContacts ? () => {} : noteTime)) {
        yield { contacts: [], removed, cursor };
      }
    } catch (error) {
      if (!swallowsRemovals(error)) throw error;
    }
    for await (const rows of pagesOf({ since, lastName }, noteTime)) {
      if (waiting.length > 0) yield toPage(waiting, cursor);
      waiting = rows;
      newest = Math.max(newest, ...rows.map(({ changedAt }) => changedAt));
    }
    const position = takesNewestEdit && newest > 0 ? newest : asOf;
    yield toPage(waiting, position === null ? cursor : String(position));
  }

  function removalsSince(since: string | undefined, noteTime: (asOf: number) => void) {
    return readOffsetPages({
      what: 'removals',
      take: 100,
      idOf: ({ id }: z.infer<typeof removedSchema>) => id,
      async read(skip, take) {
        throwIfStopped(deps.signal);
        const page = await http.read(
          { path: '/removed', query: { since, skip, take } },
          removalsSchema,
        );
        noteTime(page.asOf);
        return endsRemovalsAtEmptyPage ? { ...page, total: null } : page;
      },
    });
  }

  function toPage(rows: readonly Row[], cursor: string | null): ContactPage {
    return { contacts: rows.map(toContact), removed: [], cursor };
  }

  function pagesOf(
    conditions: Readonly<Record<string, string | undefined>>,
    noteTime: (asOf: number) => void = () => {},
  ): AsyncGenerator<Row[]> {
    return readRows({
      what: 'contacts',
      take: 100,
      idOf: ({ id }) => id,
      async read(skip, take) {
        throwIfStopped(deps.signal);
        const query = { ...conditions, skip, take };
        const page = await http.read({ path: '/contacts', query }, pageSchema);
        noteTime(page.asOf);
        return page;
      },
    });
  }

  function lookUp(ids: readonly string[]) {
    const request = { method: 'POST', path: '/lookup', json: { ids }, isWrite: false } as const;
    return http.read(request, lookupSchema);
  }

  function isIncluded(row: Row): boolean {
    return lastName === undefined || row.lastName === lastName;
  }

  function toContact({ fields, deceased, doNotContact, changedAt: _, ...identity }: Row) {
    const marks = readMarks(contacts, (name) => {
      const field = described.get(name);
      const text = fields[name] ?? '';
      if (field?.type === 'multiPicklist') return joinsMarks ? text : text.split(';');
      return field === undefined ? undefined : text;
    });
    const own = excludedBy({ deceased, doNotContact }, contacts);
    // A mark in the settings may be stronger than the CRM's own mark.
    const isStronger = own === 'deceased' || (own !== null && marks.excluded !== 'deceased');
    return { ...identity, ...marks, ...(isStronger ? { excluded: own } : {}) };
  }

  function toValue(name: string, text: string | null | undefined): FieldValue {
    if (text == null || text.trim() === '') return null;
    const field = described.get(name);
    if (field?.type === 'number' || field?.type === 'currency')
      return Number(text.replaceAll(',', ''));
    if (field?.type === 'boolean') return text === 'true';
    if (field?.type !== 'multiPicklist' || keepsOrder) return text;
    const selected = text.split(';');
    return field.options.filter((option) => selected.includes(option)).join(';');
  }

  async function writeOne(change: ContactChange): Promise<WriteResult> {
    const { id, values, together = false } = change;
    const refusals: Refusal[] = [];
    let rest = Object.entries(values);
    for (;;) {
      const fields = Object.fromEntries(
        rest.map(([name, value]) => [name, value === null ? null : String(value)]),
      );
      const answer = await send(id, fields);
      if (answer.ok) {
        const lost = overwrittenBy(change, answer.body.before ?? {});
        if (refusals.length === 0) return { status: 'written', id, ...lost };
        return { status: 'written_in_part', id, refusals, ...lost };
      }
      const refused = refusedWrite(id, codeOf(answer), sentenceOf(answer), {
        ...whyRefused(answer),
      });
      const [blamed] = refused.fields;
      const left = rest.filter(([name]) => name !== blamed);
      // A CRM may name no field in its error, or a field that is not in the change. In both cases, the CRM would refuse
      // the same request forever.
      if (together || left.length === 0 || left.length === rest.length) {
        const fields = [...refusals, refused].flatMap((each) => each.fields);
        return { ...refused, fields: [...new Set(fields)] };
      }
      rest = left;
      const { status: _, id: __, ...refusal } = refused;
      refusals.push(refusal);
    }
  }

  function sentenceOf({ body }: Refused): string {
    const said = quotesRefusals
      ? z.object({ message: z.string() }).safeParse(body).data
      : undefined;
    return `Example refuses the change${said === undefined ? '' : `: ${said.message}`}.`;
  }

  /**
   * Returns the values that the write replaced. Contains only values that differ from the values that the caller has
   * read and from the values that were sent.
   */
  function overwrittenBy(
    { values, seen = {} }: ContactChange,
    before: Readonly<Record<string, string | null>>,
  ): { overwritten?: Overwritten } {
    const lost = Object.entries(before)
      .map(([name, text]) => [name, toValue(name, text)] as const)
      .filter(([name, value]) => Object.hasOwn(seen, name) && value !== seen[name])
      .filter(([name, value]) => value !== values[name]);
    return lost.length === 0 ? {} : { overwritten: { values: Object.fromEntries(lost), by: null } };
  }

  async function send(id: string, fields: Record<string, string | null>) {
    const path = `/contacts/${encodeURIComponent(id)}`;
    if (!replacesRecords) {
      // After a lost response, the connector repeats the change with the same ID, and the CRM repeats its answer.
      const requestId = keyFromValues ? JSON.stringify([id, fields]) : randomUUID();
      const json = {
        ...{ fields, follow: followsMerges },
        ...(forgetsRequests ? {} : { requestId }),
      };
      return http.ask({ method: 'PATCH', path, json }, patchedSchema);
    }
    const { rows } = await lookUp([id]);
    const merged = { ...rows[0]?.fields, ...fields };
    const json = { ...rows[0], fields: merged };
    return http.ask({ method: 'PUT', path, json }, patchedSchema);
  }
}

/** Reads how many of the day's requests are used, from the CRM's headers. */
function readDailyLimit(headers: Headers): ReturnType<DailyOptions['read']> {
  const { data } = dailySchema.safeParse({
    ...{ max: headers.get('x-daily-max'), used: headers.get('x-daily-used') },
  });
  return data === undefined
    ? null
    : { max: data.max, remaining: Math.max(0, data.max - data.used) };
}

const dailySchema = z.object({
  max: z.string().transform(Number),
  used: z.string().transform(Number),
});

function exclusionOf({ deceased, doNotContact }: OwnMarks, wanted: ContactsSettings) {
  if (deceased && wanted.includeDeceased !== true) return 'deceased';
  return doNotContact && wanted.includeDoNotContact !== true ? 'do_not_contact' : null;
}

type Refused = { status: number; body: unknown };

function codeOf({ status, body }: Refused): string {
  const { data } = refusalSchema.safeParse(body);
  return /^[A-Z_]+$/.test(data?.error ?? '') ? (data?.error ?? '') : `HTTP_${status}`;
}

function whyRefused({ status, body }: Refused): Partial<Refusal> {
  if (status === 409 || status === 423) return { retriable: true, isLock: true };
  if (status === 403) return { cause: 'no_permission' };
  const { data } = refusalSchema.safeParse(body);
  if (data?.field == null) return {};
  return { fields: [data.field], cause: CAUSES[data.error] ?? 'rule' };
}

const CAUSES: Readonly<Record<string, RefusalCause>> = {
  NO_SUCH_FIELD: 'no_such_field',
  DOES_NOT_FIT: 'does_not_fit',
};

async function readFields(http: Http): Promise<ExampleFields> {
  const fields = await http.read({ path: '/fields' }, fieldsSchema);
  return new Map(fields.map((field) => [field.name, field]));
}

/** Parses the filter. The only condition that this CRM understands is `lastName=…`. */
function readFilter({ filter }: ContactsSettings): string | undefined {
  if (filter === null) return undefined;
  const [, name] = /^lastName=(.+)$/.exec(filter) ?? [];
  if (name === undefined) requireKnown({ filter, optOutField: null }, []);
  return name;
}
