/**
 * A connector for the simulated CRM. Each request to the CRM takes time, and the network can lose the request or its
 * response.
 */
import { z } from 'zod';
import type {
  AutomatedFields,
  Capabilities,
  Connector,
  ConnectorDefinition,
  ContactPage,
  KnownContacts,
} from '../../../connectors/contract.ts';
import { throwIfStopped } from '../../../connectors/requests/stopped.ts';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import type { Life } from '../processes/process.ts';
import type { CrmDeps, Inside, SimulatedCrm } from './crm.ts';
import { describeFields, MAPPINGS } from './fields.ts';
import { canonicalId, changesAfter, lookUp, pageOf, wholeList } from './reads.ts';
import { write } from './writes.ts';

const CAPABILITIES: Capabilities = {
  incremental: true,
  reportsRemovals: true,
  createsFields: true,
  writesTogether: true,
  remote: true,
  groups: ['group'],
  readBatch: 100,
  writeBatch: { preferred: 10, bulk: null, max: 100 },
};

const SETTINGS = z.looseObject({ name: z.string() });
const GROUP = z.strictObject({ group: z.string() });

/**
 * The capabilities of a CRM that is a list. Each reading of the list returns all contacts, but does not report why a
 * contact is missing.
 */
const OF_LIST: Capabilities = { ...CAPABILITIES, incremental: false, reportsRemovals: false };

/** `lifeOf` returns the requesting process. */
export function simulatedConnector(
  crms: ReadonlyMap<string, SimulatedCrm>,
  life: Life,
): ConnectorDefinition {
  return {
    contract: 2,
    kind: 'simulated',
    settingsSchema: SETTINGS,
    groupSchema: GROUP,
    defaultFields: MAPPINGS,
    canonicalId,
    otherForms: (id) => [id.toUpperCase()],
    async open({ settings, deps: { signal } }) {
      const crm = crms.get(String(Reflect.get(Object(settings), 'name')));
      if (crm === undefined) throw new ConfigurationError('no such CRM', { code: 'crm_missing' });
      return crm.connect(life, signal);
    },
    check: async () => [],
  };
}

/** Creates a process's connector. */
export function connect(inside: Inside, life: Life, signal: AbortSignal): Connector {
  const { crm, deps } = inside;
  const { name, records, hidden, groups } = crm;
  const { timeline, pageSize } = deps;
  return {
    kind: 'simulated',
    capabilities: deps.isList ? OF_LIST : CAPABILITIES,
    account: { id: `account-${name}`, name },
    identity: () => ({
      columns: 'all',
      mode: 'plain',
      sources: [
        { name: 'address', part: 'addresses', readable: !hidden.has('address') },
        { name: 'employer', part: 'employers', readable: !hidden.has('employer') },
      ],
    }),
    readPages,
    async readByIds(ids, fields) {
      const lookups = await call(deps, life, signal, 'read', () =>
        ids.map((id) => lookUp(inside, life, id, fields)),
      );
      for (const id of fields.length > 0 ? ids : []) {
        records.get(canonicalId(id) ?? id)?.valuesKnownBy.set(life.name, timeline.now());
      }
      setKnown(lookups.flatMap((each) => (each.state === 'found' ? each.id : [])));
      return lookups;
    },
    async *write(changes) {
      const all: { id: string; values: FieldValues; together?: boolean }[] = [];
      for await (const change of changes) all.push(change);
      yield* await call(deps, life, signal, 'write', () =>
        all.map(({ id, values, together }) => write(inside, life, id, values, together)),
      );
    },
    readBack: (writes) =>
      call(deps, life, signal, 'read back', () =>
        writes.map(({ id, fields }) => {
          const record = records.get(id);
          // Only the process that wrote a value knows whether automation has changed the value.
          const made = fields.flatMap((field) => {
            const cell = record?.values.get(field);
            return cell?.isAutomated === true && cell.by === life.name ? { field, cell } : [];
          });
          if (record === undefined || record.gone !== null || record.isVanished) {
            for (const { cell } of made) cell.isUntold = cell.isTold !== true;
            return { id, values: null, automated: [] };
          }
          const values = fields.map((field) => {
            const cell = record.values.get(field);
            return [field, cell?.madeFrom ?? cell?.value ?? null];
          });
          const seen = made.filter(({ cell }) => cell.madeFrom === undefined);
          for (const { cell } of seen) cell.isTold = true;
          const automated = seen.map(({ field }) => field);
          return { id, values: Object.fromEntries(values), automated };
        }),
      ),
    ...(deps.keepsAuthors ? { findAutomated } : {}),
    describeFields: () => call(deps, life, signal, 'describe', () => describeFields(crm)),
    createFields: async () => [],
    listGroups: async () => [],
    async *readGroup(selector) {
      const group = String(selector['group']);
      yield await call(deps, life, signal, 'group', () => [...(groups.get(group) ?? [])]);
    },
    readLimits: async () => null,
    async finish() {},
    async close() {},
  };

  function findAutomated(
    wanted: readonly { id: string; fields: readonly string[] }[],
  ): Promise<AutomatedFields[]> {
    return call(deps, life, signal, 'read histories', () =>
      wanted.flatMap(({ id, fields }) => {
        const record = records.get(id);
        if (record === undefined || record.gone !== null || record.isVanished) return [];
        const made = fields.flatMap((field) => {
          const from = record.values.get(field)?.madeFrom;
          return from === undefined ? [] : [[field, from] as const];
        });
        return made.length === 0 ? [] : [{ id, madeFrom: Object.fromEntries(made) }];
      }),
    );
  }

  async function* readPages(
    cursor: string | null,
    known?: KnownContacts,
  ): AsyncGenerator<ContactPage> {
    // Like real CRMs, a first reading reports merged contacts, and no other contact that was ever deleted.
    const goneSince = Number(cursor ?? known?.cursor ?? Number.POSITIVE_INFINITY);
    const changes = await call(deps, life, signal, 'search', () =>
      deps.isList
        ? wholeList(inside)
        : changesAfter(inside, Number(cursor ?? 0)).filter(
            ({ record: { gone }, at }) =>
              gone === null || gone.mergedInto !== null || at > goneSince,
          ),
    );
    // The first pages contain the contacts that were removed. The pages with removed contacts have no cursor, because a
    // cursor would skip the remaining contacts.
    for (let start = 0; start === 0 || start < changes.length; start += pageSize) {
      const ids = changes.slice(start, start + pageSize);
      if (ids.length === 0) return;
      const isFirst = start === 0;
      const page = await call(deps, life, signal, 'page', () =>
        pageOf(inside, life, ids, isFirst ? changes : []),
      );
      for (const { id } of page.removed) {
        records.get(id)?.goneReads.push({ by: life.name, at: timeline.now() });
      }
      for (const { id } of page.contacts.filter(({ optedOut }) => optedOut)) {
        records.get(id)?.optOutKnownBy.set(life.name, timeline.now());
      }
      yield page;
      setKnown(page.contacts.map(({ id }) => id));
    }
  }

  function setKnown(ids: readonly string[]): void {
    for (const id of ids) {
      const record = records.get(canonicalId(id) ?? id);
      if (record !== undefined) record.knownSince ??= timeline.now();
    }
  }
}

/** Simulates a request to the CRM, its effect and the response. */
async function call<T>(
  { timeline, random, faultRate, slowMs, say }: CrmDeps,
  life: Life,
  signal: AbortSignal,
  what: string,
  work: () => T,
): Promise<T> {
  await life.point(`crm ${what}`);
  throwIfStopped(signal);
  const fault = random.chance(faultRate()) ? random.pick(['before', 'after']) : null;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  timeline.after(random.magnitude(5, Math.max(300, slowMs)), () => {
    if (fault === 'before') {
      say('the CRM', `fails at ${what} for process ${life.name}`);
      timeline.after(5, () => reject(unavailable()), life);
      return;
    }
    let result: T;
    try {
      result = work();
    } catch (error) {
      timeline.after(5, () => reject(error), life);
      return;
    }
    if (fault === 'after') say('the CRM', `does not answer at ${what} for process ${life.name}`);
    timeline.after(
      random.magnitude(5, Math.max(300, slowMs)),
      () => (fault === 'after' ? reject(unavailable()) : resolve(result)),
      life,
    );
  });
  const result = await promise;
  await life.point(`crm ${what} answered`);
  return result;
}

function unavailable(): RetriableError {
  return new RetriableError('The CRM does not answer.', { code: 'crm_unavailable' });
}
