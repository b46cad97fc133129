/** The connector of the small CRM in `api.ts`: an example of how to use the HTTP part of the kit. */
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
  RecordLookup,
  Refusal,
  WriteResult,
} from '../../contract.ts';
import { requireMarkFields } from '../../marks/mark-fields.ts';
import { readMarks } from '../../marks/mark-values.ts';
import { checkByOpening, plainConnector, refusedWrite, requireKnown } from '../../plain.ts';
import { type OffsetPagesOptions, readOffsetPages } from '../../reading/offset-pages.ts';
import { createHttp, type Http } from '../../requests/http.ts';
import { inLanes } from '../../requests/lanes.ts';
import { throwIfStopped } from '../../requests/stopped.ts';

const settingsSchema = z.strictObject({
  kind: z.literal('example'),
  url: z.url(),
  apiKey: z.string().min(1),
});

export type ExampleSettings = z.infer<typeof settingsSchema>;

/** Ways in which the example can be wrong inside (`mistakes.ts`). Omitted parts are right. */
export interface ExampleFlaws {
  readRows?(options: OffsetPagesOptions<Row>): AsyncGenerator<Row[]>;
  isPassing?(reply: { status: number }): boolean;
  replacesRecords?: boolean;
  requireFields?(contacts: ContactsSettings, fields: Iterable<string>): void;
}

const rowSchema = z.object({
  id: z.string(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  addresses: z.array(z.string()),
  employers: z.array(z.string()),
  fields: z.record(z.string(), z.string()),
});

type Row = z.infer<typeof rowSchema>;

const pageSchema = z.object({ asOf: z.number(), total: z.number(), rows: z.array(rowSchema) });
const lookupSchema = z.object({ rows: z.array(rowSchema), deleted: z.array(z.string()) });
const fieldsSchema = z.array(
  z.object({ name: z.string(), label: z.string(), type: z.enum(['text', 'number']) }),
);
const membersSchema = z.object({ total: z.number(), rows: z.array(z.string()) });
const groupsSchema = z.array(z.object({ name: z.string(), members: z.number() }));
const refusalSchema = z.object({ error: z.string(), field: z.string().nullish() });

const CAPABILITIES: Capabilities = {
  ...plainConnector.capabilities,
  incremental: true,
  createsFields: true,
  writesTogether: true,
  remote: true,
  groups: ['group'],
};

/** The kind of CRM. `flaws` make it wrong on purpose. */
export function defineExampleConnector(
  flaws: ExampleFlaws = {},
): ConnectorDefinition<ExampleSettings> {
  const definition: ConnectorDefinition<ExampleSettings> = {
    contract: 2,
    kind: 'example',
    settingsSchema,
    groupSchema: z.strictObject({ group: z.string() }),
    defaultFields: [{ from: 'donorId', to: 'note', when: 'unlessEdited' }],
    open: (options) => openExample(options, flaws),
    check: (options) => checkByOpening(() => definition.open(options)),
  };
  return definition;
}

async function openExample(
  { settings, contacts, deps }: ConnectorOptions<ExampleSettings>,
  {
    readRows = readOffsetPages,
    isPassing,
    replacesRecords = false,
    requireFields = requireMarkFields,
  }: ExampleFlaws,
): Promise<Connector> {
  requireKnown(contacts, [
    ...(['filter', 'optOutField', 'optOutValues', 'deceasedField'] as const),
    ...(['deceasedValues', 'doNotContactField', 'doNotContactValues'] as const),
  ]);
  const lastName = readFilter(contacts);
  const http = createHttp({
    crm: 'Example',
    url: settings.url,
    deps,
    headers: { 'x-api-key': settings.apiKey },
    ...(isPassing === undefined ? {} : { isPassing }),
  });
  const account = await http.read(
    { path: '/account' },
    z.object({ id: z.string(), name: z.string() }),
  );
  let types = await readTypes(http);
  requireFields(contacts, types.keys());

  return {
    ...plainConnector,
    kind: 'example',
    capabilities: CAPABILITIES,
    account,
    readPages,
    async readByIds(ids, fields) {
      if (ids.length === 0) return [];
      const { rows, deleted } = await lookUp(ids);
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id): RecordLookup => {
        const row = found.get(id);
        if (row === undefined && deleted.includes(id)) {
          return { state: 'removed', id, mergedInto: null };
        }
        if (row === undefined) return { state: 'missing', id };
        const values = fields.map((name) => [name, toValue(name, row.fields[name])]);
        return { state: 'found', id, contact: toContact(row), values: Object.fromEntries(values) };
      });
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
    write(changes) {
      const begun = new Set<string>();
      return inLanes(changes, {
        lanes: 4,
        // Changes of one contact must arrive in their order.
        mustWait: ({ id }) => begun.has(id),
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
        ({ name, label, type }): CrmField => ({ ...plainField(name), label, type }),
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
      types = await readTypes(http);
      return made;
    },
    async listGroups() {
      const groups = await http.read({ path: '/groups' }, groupsSchema);
      return groups.map(({ name, members }) => ({
        ...{ selector: { group: name }, name, memberCount: members },
      }));
    },
    async *readGroup({ group }) {
      yield* readOffsetPages({
        what: 'members',
        take: 100,
        idOf: (id: string) => id,
        read: async (skip, take) => {
          throwIfStopped(deps.signal);
          const path = `/groups/${encodeURIComponent(String(group))}/members`;
          return http.read({ path, query: { skip, take } }, membersSchema);
        },
      });
    },
    readLimits: async () => http.limits(),
    close: async () => http.close(),
  };

  /** Only the last page has a position for a later reading, because the order is by id. */
  async function* readPages(cursor: string | null): AsyncGenerator<ContactPage> {
    let asOf: number | null = null;
    let waiting: Row[] = [];
    const since = cursor ?? undefined;
    const pages = pagesOf({ since, lastName }, (at) => {
      asOf ??= at;
    });
    for await (const rows of pages) {
      if (waiting.length > 0) yield toPage(waiting, cursor);
      waiting = rows;
    }
    yield toPage(waiting, asOf === null ? cursor : String(asOf));
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
        // The time of the first page: what is changed during the reading is read again.
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

  function toContact({ fields, ...identity }: Row) {
    const marks = readMarks(contacts, (field) =>
      types.has(field) ? (fields[field] ?? '') : undefined,
    );
    return { ...identity, ...marks };
  }

  function toValue(name: string, text: string | undefined): FieldValue {
    if (text === undefined || text.trim() === '') return null;
    return types.get(name) === 'number' ? Number(text.replaceAll(',', '')) : text;
  }

  async function writeOne({ id, values, together = false }: ContactChange): Promise<WriteResult> {
    const refusals: Refusal[] = [];
    let rest = Object.entries(values);
    for (;;) {
      const fields = Object.fromEntries(
        rest.map(([name, value]) => [name, value === null ? null : String(value)]),
      );
      const answer = await send(id, fields);
      if (answer.ok && refusals.length === 0) return { status: 'written', id };
      if (answer.ok) return { status: 'written_in_part', id, refusals };
      const refused = refusedWrite(id, codeOf(answer), 'Example refuses the change.', {
        ...whyRefused(answer),
      });
      const [blamed] = refused.fields;
      const left = rest.filter(([name]) => name !== blamed);
      // A CRM may name no field, or one that the change does not contain: the same request would be refused for ever.
      if (together || left.length === 0 || left.length === rest.length) {
        const fields = [...refusals, refused].flatMap((each) => each.fields);
        return { ...refused, fields: [...new Set(fields)] };
      }
      rest = left;
      const { status: _, id: __, ...refusal } = refused;
      refusals.push(refusal);
    }
  }

  async function send(id: string, fields: Record<string, string | null>) {
    const path = `/contacts/${encodeURIComponent(id)}`;
    if (!replacesRecords) return http.ask({ method: 'PATCH', path, json: { fields } }, rowSchema);
    const { rows } = await lookUp([id]);
    const merged = { ...rows[0]?.fields, ...fields };
    const json = { ...rows[0], fields: merged };
    return http.ask({ method: 'PUT', path, json }, rowSchema);
  }
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
  const cause = data.error === 'NO_SUCH_FIELD' ? 'no_such_field' : 'rule';
  return { fields: [data.field], cause };
}

async function readTypes(http: Http): Promise<Map<string, string>> {
  const fields = await http.read({ path: '/fields' }, fieldsSchema);
  return new Map(fields.map(({ name, type }) => [name, type]));
}

/** The only condition that this CRM understands is `lastName=…`. */
function readFilter({ filter }: ContactsSettings): string | undefined {
  if (filter === null) return undefined;
  const [, name] = /^lastName=(.+)$/.exec(filter) ?? [];
  if (name === undefined) requireKnown({ filter, optOutField: null }, []);
  return name;
}
