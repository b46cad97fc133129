/**
 * Creates the parts of a simulated history in one process with simulated time: a CRM in memory, the service and the
 * product.
 */
import type { Connector, ConnectorDefinition } from '../../connectors/contract.ts';
import {
  createMemoryConnector,
  memoryConnector,
  memoryDefaultFields,
} from '../../connectors/memory/connector.ts';
import { createMemoryCrm, type MemoryCrm } from '../../connectors/memory/crm.ts';
import { type Application, openApplication } from '../../src/application.ts';
import { holdAll } from '../../src/backup/backup.ts';
import { confirmRestore } from '../../src/backup/restores.ts';
import type { FieldValue } from '../../src/core/crm-field.ts';
import { isDonorSyncError, messageOf, RetriableError } from '../../src/core/errors.ts';
import type { FieldMapping } from '../../src/core/field-map.ts';
import type { Integration } from '../../src/core/integration-settings.ts';
import type { Log } from '../../src/core/log.ts';
import { newId } from '../../src/core/new-id.ts';
import { parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { decideQuestion } from '../../src/decisions/decide.ts';
import { decisionsFor, listCountedQuestions } from '../../src/decisions/views/question.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { forgetPerson } from '../../src/privacy/forget/forget.ts';
import type { ErasureReceipt } from '../../src/privacy/forget/receipt.ts';
import { settingsSchema } from '../../src/settings/settings-schema.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { runSync } from '../../src/sync/run.ts';
import { listRunRecords } from '../../src/sync/statements/runs.ts';
import type { Backup } from '../simulation/database/contents.ts';
import type { SharedStore } from '../simulation/database/store.ts';
import { createErasureLog, createWriteLog } from '../simulation/people/restoring.ts';
import { beginLife } from '../simulation/processes/process.ts';
import { createRandom } from '../simulation/random.ts';
import { SECRET_KEY } from '../simulation/settings.ts';
import type { Timeline } from '../simulation/timeline.ts';
import { stackOf } from '../simulation/trace.ts';
import { createOrigins, type Origins } from './origins.ts';
import { createPeople, fullName, type Human, type People } from './people.ts';
import type { History, Step } from './plan.ts';
import { BASE_URL, createHistoryService, type HistoryService } from './service.ts';

const DAY_MS = 86_400_000;

export interface CrmRecord {
  id: string;
  human: Human;
}

/** An attempt to erase a contact, with the contact's content before the attempt. */
export interface Erasure {
  record: CrmRecord;
  receipt: ErasureReceipt;
  alsoInCrm: boolean;
  /** True if the product has erased the contact from its database. */
  isDone: boolean;
  /** The numbers of CRM writes, service requests and log lines when the attempt began. */
  since: { write: number; line: number; log: number };
  /** True if the CRM hid the contact's record during the erasure attempt. */
  wasAway: boolean;
  /** True if each client has completed a run since the erasure attempt. */
  isSynced: boolean;
  /** True if a backup from before the erasure was restored. */
  isFromBackup: boolean;
  /** The CRM's content before the erasure attempt. */
  before: Snapshot;
}

/** Maps the values of the CRM to their owners. */
export type Snapshot = ReadonlyMap<
  string,
  ReadonlyMap<string, { value: FieldValue; by: 'us' | 'user' }>
>;

export interface World {
  history: History;
  crm: MemoryCrm;
  people: People;
  service: HistoryService;
  store: SharedStore;
  origins: Origins;
  records: CrmRecord[];
  /** The last attempt for each contact, by its ID. */
  erasures: Map<string, Erasure>;
  /** The remaining contact of each merge, by the ID of the merged contact. */
  merges: Map<string, string>;
  logLines: readonly string[];
  /** The number of times that each event happened. */
  events: Map<string, number>;
  /** The strings that users have typed about people. */
  typedTexts: readonly string[];
  /** Returns true if the CRM currently refuses changes to this field of the record. */
  isOutOfReach(id: string, field: string): boolean;
  integrations(): readonly Integration[];
  story: readonly string[];
  violate(what: string): void;
  /** Opens the product so that a check can use it. */
  withProduct<Result>(work: (application: Application) => Promise<Result>): Promise<Result>;
  snapshot(): Snapshot;
}

export interface Played {
  world: World;
  play(judge: (step: Step, isLast: boolean) => Promise<void>): Promise<void>;
}

const KEY_RING = parseKeyRing(SECRET_KEY);

export function createWorld(
  store: SharedStore,
  history: History,
  timeline: Timeline,
  violations: string[],
): Played {
  const random = createRandom(`world ${history.seed}`);
  const people = createPeople(random.split('people'), history.contacts);
  const crm = createMemoryCrm({ fields: memoryDefaultFields.map(({ to }) => to) });
  const service = createHistoryService(people, {
    seed: history.seed,
    now: timeline.now,
    areBiosTelling: history.areBiosTelling,
  });
  const origins = createOrigins(crm);
  const records: CrmRecord[] = people.all.map((human) => ({
    human,
    id: crm.addContact(contactOf(human)),
  }));
  let board = records.slice(0, history.board).map(({ id }) => id);
  const story: string[] = [];
  const logLines: string[] = [];
  const events = new Map<string, number>();
  const erasures = new Map<string, Erasure>();
  const merges = new Map<string, string>();
  const typedTexts: string[] = [];
  const refused = new Set<string>();
  const vanished = new Set<string>();
  const deleted = new Map<string, ReturnType<typeof valuesOf>>();
  const hidden = new Map<string, string>();
  const unmapped = new Set<'paths' | 'bio'>();
  const erasureLog = createErasureLog();
  const writeLog = createWriteLog();
  let hasNetwork = true;
  let backup: { rows: Backup; at: number } | null = null;
  let doubles = 0;
  let settings = settingsNow();
  setBoard();
  const life = beginLife({
    ...{ host: 'A', hostName: 'A', number: 1, processId: 4_711, timeline, space: null, random },
    clock: { offsetMs: 0, rate: 1 },
    fate: { kill: null, freeze: null, stop: null },
    ...{ say: () => undefined, passed: () => undefined },
    ...{ onDeath: () => undefined, onFreeze: () => undefined },
  });
  const world: World = {
    ...{
      history,
      crm,
      people,
      service,
      store,
      origins,
      records,
      erasures,
      merges,
      logLines,
      events,
      story,
    },
    typedTexts,
    isOutOfReach: (id, field) => refused.has(id) || !crm.fields.has(field),
    integrations: () => settings.integrations,
    violate(what) {
      story.push(`VIOLATED: ${what}`);
      violations.push(what);
    },
    withProduct,
    snapshot,
  };
  return { world, play };

  async function play(judge: (step: Step, isLast: boolean) => Promise<void>): Promise<void> {
    await life.run(async () => {
      for (const [at, step] of history.steps.entries()) {
        await timeline.pass(1_000);
        story.push(`— ${JSON.stringify(step)}`);
        await take(step);
        origins.follow();
        await judge(step, at === history.steps.length - 1);
        if (violations.length > 0) return;
      }
    });
  }

  async function take(step: Step): Promise<void> {
    try {
      await takeStep(step);
    } catch (error) {
      story.push(`  ended: ${messageOf(error)}`);
      if (!isDonorSyncError(error)) world.violate(`no error: ${stackOf(error)}`);
    }
  }

  function count(event: string): void {
    events.set(event, (events.get(event) ?? 0) + 1);
  }

  async function takeStep(step: Step): Promise<void> {
    count(step.do);
    switch (step.do) {
      case 'sync':
        return sync(step.full);
      case 'forget':
        return forget(step);
      case 'undo':
        return undo(step.back);
      case 'redeliver':
        return redeliver();
      case 'backup':
        await store.mirror();
        backup = { rows: store.backUp(), at: Math.floor(timeline.now()) };
        return;
      case 'restore':
        return restore();
      case 'decide':
        return decide(step.approve);
      case 'wait':
        return timeline.pass(step.days * DAY_MS);
      default:
        inCrm(step);
    }
  }

  /** Simulates a user's action in the CRM or in the settings. */
  function inCrm(step: Step): void {
    switch (step.do) {
      case 'delete':
        onRecord(step.who, ({ id }) => {
          deleted.set(id, valuesOf(id));
          crm.deleteContact(id);
        });
        return;
      case 'vanish':
        onRecord(step.who, ({ id }) => {
          vanished.add(id);
          crm.vanish(id);
        });
        return;
      case 'put back':
        putBack(step.who);
        return;
      case 'double':
        onRecord(step.who, ({ human }) => {
          doubles += 1;
          records.push({
            human,
            id: crm.addContact({ ...contactOf(human), id: `double-${doubles}` }),
          });
        });
        return;
      case 'merge':
        merge(step);
        return;
      case 'rename':
        onRecord(step.who, ({ id, human }) => {
          people.rename(human);
          crm.editContact(id, { lastName: human.last });
        });
        return;
      case 'move':
        onRecord(step.who, ({ id, human }) =>
          crm.editContact(id, { addresses: [addressOf(human, random.int(1, 99))] }),
        );
        return;
      case 'type':
        onRecord(step.who, ({ id }) => {
          const about = records[step.about]?.human;
          if (about === undefined) return;
          const text = `Ask ${fullName(about.known)} first`;
          typedTexts.push(text);
          crm.setValue(id, step.field, text);
          origins.typed(id, step.field, text);
        });
        return;
      case 'unmap':
        unmapped.add(step.what);
        settings = settingsNow();
        return;
      case 'map':
        unmapped.delete(step.what);
        settings = settingsNow();
        return;
      case 'drop network':
      case 'add network':
        hasNetwork = step.do === 'add network';
        settings = settingsNow();
        return;
      case 'leave board':
      case 'join board':
        onRecord(step.who, ({ id }) => {
          board = board.filter((each) => each !== id);
          if (step.do === 'join board') board.push(id);
          setBoard();
        });
        return;
      case 'rewire':
        service.rewire();
        return;
      case 'hide':
        if (!history.isRemote) return;
        hidden.set(step.field, step.field);
        crm.removeField(step.field);
        return;
      case 'show':
        for (const name of hidden.keys()) crm.addField({ name });
        hidden.clear();
        for (const id of vanished) crm.appear(id);
        vanished.clear();
        notSynced();
        return;
      case 'refuse':
        onRecord(step.who, ({ id }) => {
          refused.add(id);
          crm.refuseWrites(id);
        });
        return;
      case 'allow':
        refused.clear();
        notSynced();
        for (const { id } of records) crm.allowWrites(id);
        return;
      case 'away':
        crm.failNext('open', new RetriableError('The CRM is away.', { code: 'crm_unavailable' }));
        return;
      case 'break a write':
        crm.failNext('write', new RetriableError('The CRM is away.', { code: 'crm_unavailable' }));
        return;
      default:
        throw new Error(`unknown step ${step.do}`);
    }
  }

  function onRecord(who: number, work: (record: CrmRecord) => void): void {
    const record = records[who];
    if (record !== undefined && crm.records.has(record.id)) work(record);
  }

  function putBack(who: number): void {
    const record = records[who];
    if (record === undefined) return;
    const { id, human } = record;
    notSynced();
    if (vanished.delete(id)) crm.appear(id);
    const values = deleted.get(id);
    if (values === undefined || crm.records.has(id)) return;
    deleted.delete(id);
    crm.addContact({ ...contactOf(human), id, values });
  }

  function merge({ loser, winner, fillsBlanks }: Extract<Step, { do: 'merge' }>): void {
    const [from, to] = [records[loser]?.id ?? '', records[winner]?.id ?? ''];
    if (from === to || !crm.records.has(from) || !crm.records.has(to)) return;
    if (fillsBlanks) origins.merged(from, to);
    merges.set(from, to);
    count('merge carried out');
    if (erasures.has(from)) count('merge of an erased contact');
    crm.mergeContact(from, to, { fillsBlanks });
  }

  /** Records that the product needs a further run to clear all data. */
  function notSynced(): void {
    for (const erasure of erasures.values()) erasure.isSynced = false;
  }

  function valuesOf(id: string): Record<string, FieldValue> {
    return { ...crm.records.get(id)?.values };
  }

  function setBoard(): void {
    crm.addGroup('board', board);
  }

  function settingsNow() {
    const fields = memoryDefaultFields.filter(isMapped);
    const ids = history.isShared ? ['riverside', 'lakeside'] : ['riverside'];
    const parsed = settingsSchema.parse({
      ...{ database: 'sqlite::memory:', erasureLog: '/simulated.erasures' },
      retention: history.keepsNoProfiles ? { profiles: 0 } : {},
      integrations: ids.map((id) => ({
        id,
        partner: { baseUrl: BASE_URL, apiKey: `partner-key-${id}` },
        crm: { kind: 'memory', name: 'history' },
        ...(unmapped.size > 0 ? { fields } : {}),
        guards: GUARDS,
        networks: hasNetwork ? [{ name: `Board ${id}`, group: { group: 'board' } }] : [],
        settleAfterMs: 200,
      })),
    });
    return { ...parsed, path: '/simulated' };
  }

  function isMapped({ from }: FieldMapping): boolean {
    if (unmapped.has('paths') && from.startsWith('warmPath.')) return false;
    return !(unmapped.has('bio') && from === 'bio');
  }

  function openConnector(signal: AbortSignal): Connector {
    const connector = createMemoryConnector(crm, signal);
    if (!history.isRemote) return connector;
    return {
      ...connector,
      capabilities: { ...connector.capabilities, remote: true },
      async readByIds(ids, fields) {
        const lookups = await connector.readByIds(ids, fields);
        return lookups.map((lookup) => {
          if (lookup.state !== 'found') return lookup;
          const values = Object.entries(lookup.values).map(([field, value]) => [
            field,
            crm.fields.has(field) ? value : null,
          ]);
          return { ...lookup, values: Object.fromEntries(values) };
        });
      },
    };
  }

  function definition(): ConnectorDefinition {
    const { contract, kind, settingsSchema, groupSchema, defaultFields } = memoryConnector;
    return {
      ...{ contract, kind, settingsSchema, groupSchema, defaultFields },
      async open({ deps }) {
        await crm.enter('open');
        return openConnector(deps.signal);
      },
      check: async () => [],
    };
  }

  function openProduct(restores = false): Promise<Application> {
    return openApplication({
      ...{ settings, secretKey: SECRET_KEY, keyRing: KEY_RING, clock: life.clock, restores },
      ...{ owner: life.owner, log: watchedLog() },
      neighbours: {
        openDatabase: async () => store.open(life),
        findConnectorDefinition: async () => definition(),
        fetch: service.fetch,
        openErasureLog: () => erasureLog.openFor(life),
        openWriteLog: () => writeLog,
      },
    });
  }

  async function withProduct<Result>(
    work: (application: Application) => Promise<Result>,
    restores = false,
  ): Promise<Result> {
    const application = await openProduct(restores);
    try {
      return await work(application);
    } finally {
      await application.close();
    }
  }

  function watchedLog(): Log {
    const line = (facts: object, message: string) => {
      logLines.push(`${message} ${JSON.stringify(facts)}`);
    };
    return { debug: line, info: line, warn: line, error: line };
  }

  async function sync(full: boolean): Promise<void> {
    for (const integration of settings.integrations) {
      await run(integration, { full });
    }
    for (const erasure of erasures.values()) erasure.isSynced = true;
  }

  function redeliver(): Promise<void> {
    return eachIntegration((integration) => run(integration, { redelivery: { fields: null } }));
  }

  async function eachIntegration(work: (integration: Integration) => Promise<void>) {
    for (const integration of settings.integrations) await work(integration);
  }

  function run(
    integration: Integration,
    { full = false, redelivery = null }: { full?: boolean; redelivery?: { fields: null } | null },
  ): Promise<void> {
    return withProduct(async (application) => {
      const open = await application.open(integration, life.stopping.signal);
      try {
        const { deps, mappings, partnerKey, stages, calls } = open;
        const report = await runSync(
          deps,
          {
            ...{ integration, mappings, partnerKey, full, stages, redelivery },
            ...{ only: null, trigger: 'manual' as const, signal: life.stopping.signal },
          },
          { calls },
        );
        story.push(`  ${integration.id}: ${report.status} ${report.reason?.code ?? ''}`);
        if (report.status !== 'succeeded') {
          throw new RetriableError(report.reason?.message ?? report.status, {
            code: 'run_stopped',
          });
        }
      } finally {
        await open.close();
      }
    });
  }

  async function forget({ who, alsoInCrm }: Extract<Step, { do: 'forget' }>): Promise<void> {
    const record = records[who];
    const [integration] = settings.integrations;
    if (record === undefined || integration === undefined) return;
    const before = snapshot();
    const since = {
      ...{ write: crm.writes.length, line: service.lines.length, log: logLines.length },
    };
    const receipt = await withProduct((application) =>
      forgetPerson(
        { application, clock: life.clock, log: watchedLog(), newId: () => newId(life.clock.now()) },
        { integration, crmId: record.id, alsoInCrm, everywhere: false, blockUnknown: false },
      ),
    );
    origins.follow();
    story.push(`  receipt: ${JSON.stringify(receipt)}`);
    const isDone = receipt.complete;
    count(isDone ? 'erasure complete' : 'erasure begun');
    if (receipt.erasedEarlier !== null) count('erasure repeated');
    if (!alsoInCrm) count('erasure without the CRM');
    if (receipt.erased.introductions > 0) count('texts in other contacts cleared');
    if (receipt.pending.length > 0) count('receipt with something pending');
    const last = erasures.get(record.id);
    erasures.set(record.id, {
      ...{ record, receipt, alsoInCrm, isDone, before, isSynced: false, isFromBackup: false },
      since: last?.isDone ? last.since : since,
      wasAway: !crm.records.has(record.id),
    });
  }

  async function undo(back: number): Promise<void> {
    for (const { id } of settings.integrations) {
      await withProduct(async (application) => {
        const runs = await listRunRecords(application.store.reader, {
          integrationId: id,
          limit: back + 1,
        });
        const one = runs.at(-1);
        const [integration] = application.select([id]);
        if (one === undefined || integration === undefined) return;
        const open = await application.open(integration, life.stopping.signal);
        try {
          const report = await withLease(open.deps, id, async (lease) =>
            undoRun(await openCrm(open.deps, lease), lease, one.id),
          );
          story.push(`  undone: ${JSON.stringify(report)}`);
          if (report.fields.restored > 0) count('undo that restored values');
          const isBegun = [...erasures.values()].some((each) => !each.isDone);
          if (isBegun) count('undo while an erasure was begun');
        } finally {
          await open.close();
        }
      });
    }
  }

  async function restore(): Promise<void> {
    if (backup === null) return;
    const { rows, at } = backup;
    store.restore(rows);
    const held = await withProduct((application) => holdAll(application, at), true);
    story.push(`  restored: ${JSON.stringify(held)}`);
    await withProduct(async (application) => {
      for (const { id } of settings.integrations)
        await application.store.act((trx) => confirmRestore(trx, id));
    });
    notSynced();
    for (const erasure of erasures.values()) erasure.isFromBackup = true;
    if (erasures.size > 0) count('restore of a backup from before an erasure');
  }

  async function decide(approve: boolean): Promise<void> {
    await withProduct(async ({ store: opened }) => {
      for (const { id } of settings.integrations) {
        for (const hold of await listCountedQuestions(opened.reader, id)) {
          const words = decisionsFor(hold);
          const word = words.find((each) => each === (approve ? 'approve' : 'reject'));
          if (word !== undefined) await decideQuestion(opened, hold, word);
        }
      }
    });
  }

  function snapshot(): Snapshot {
    origins.follow();
    return new Map(
      [...crm.records].map(([id, { values }]) => [
        id,
        new Map(
          Object.entries(values).flatMap(([field, value]) =>
            value === null ? [] : [[field, { value, by: origins.of(id, field) }] as const],
          ),
        ),
      ]),
    );
  }
}

const GUARDS = {
  ...{ trial: { size: 0 }, massChange: { share: 1, atLeast: 1_000 } },
  departures: { share: 1, atLeast: 1_000 },
};

function contactOf(human: Human) {
  const { first, last, employer } = human;
  return {
    ...{ firstName: first, lastName: last, addresses: [addressOf(human, 1)] },
    employers: [employer],
  };
}

function addressOf({ street }: Human, number: number): string {
  return `${number} ${street} Street, Springfield, OH 45501`;
}
