/** Telling people what is the matter: once for each change of state, and once when it is well. */
import type { AlertSettings } from '../core/alert-settings.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { Log } from '../core/log.ts';
import type { RunReport } from '../core/run.ts';
import type { LeaseAttempt } from '../store/engine/leases.ts';
import type { Store } from '../store/store.ts';
import { compare, type RecordedChange, sortUntold } from './changes.ts';
import { channelsOf } from './channels.ts';
import { type Condition, conditionsOf } from './conditions.ts';
import { type AlertStore, readStates } from './state.ts';
import { createTeller } from './teller.ts';

export interface AlertsDeps {
  store: AlertStore & { leases: Pick<Store['leases'], 'release'> };
  integrations: ReadonlyMap<string, Integration>;
  settings: AlertSettings;
  /** Where messages lead to. */
  publicUrl: string;
  clock: Clock;
  log: Log;
  /** So that of several processes with one database only one tells. */
  takeLease(name: string): Promise<LeaseAttempt>;
}

export interface Alerts {
  /** Looks at everything now, and then once a minute until `close`. */
  start(): void;
  /** Looks at the integration of a run that has ended; returns at once. */
  afterRun(report: Pick<RunReport, 'integration'>): void;
  /** Looks at everything and tells what has changed; never rejects. */
  tick(): Promise<void>;
  /** Gives up what is being sent (it is told at the next start) and resolves soon. */
  close(): Promise<void>;
}

const LOOK_INTERVAL_MS = 60_000;

/** No integration can have this id. */
const LEASE_NAME = '*alerts';

/** Without a channel in the settings nothing is looked at. */
export function createAlerts(deps: AlertsDeps): Alerts {
  const { store, integrations, settings, publicUrl, clock, log } = deps;
  const channels = channelsOf(settings);
  const teller = createTeller({ channels, publicUrl, clock, log });
  const closing = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  let watching: Promise<void> = Promise.resolve();

  return {
    start() {
      if (channels.length > 0) watching = watch();
    },
    afterRun({ integration: id }) {
      const integration = integrations.get(id);
      if (integration !== undefined) void queue([integration]);
    },
    tick: () => queue([...integrations.values()]),
    async close() {
      closing.abort();
      await watching;
      await underWay;
    },
  };

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await queue([...integrations.values()]);
      await clock.sleep(LOOK_INTERVAL_MS, closing.signal);
    }
  }

  /** One look at a time, so that nothing is told twice. */
  function queue(looked: readonly Integration[]): Promise<void> {
    underWay = underWay
      .then(() => lookAlone(looked))
      .catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'the alerts could not be looked at');
      });
    return underWay;
  }

  async function lookAlone(looked: readonly Integration[]): Promise<void> {
    if (channels.length === 0 || closing.signal.aborted) return;
    const attempt = await deps.takeLease(LEASE_NAME);
    // Another process is telling; what it does not see yet is seen by the next look.
    if (!attempt.acquired) return;
    try {
      await look(looked);
    } finally {
      await store.leases.release(attempt.lease);
    }
  }

  async function look(looked: readonly Integration[]): Promise<void> {
    const now = clock.now();
    const states = await readStates(store, looked);
    const conditions = states.flatMap((state) => conditionsOf(state, settings, now));
    await record(looked, conditions);
    const { toTell, toDrop } = sortUntold(await rowsOf(looked), conditions, settings);
    const told = await teller.tell(toTell, closing.signal);
    for (const row of [...toDrop, ...told.map(rowOf)]) await store.alerts.noteTold(row);
    if (told.length > 0) log.info({ changes: told.length }, 'people were told what has changed');
  }

  /** On record before anybody is told: a crash in between tells again instead of never. */
  async function record(
    looked: readonly Integration[],
    conditions: readonly Condition[],
  ): Promise<void> {
    const { begun, ended } = compare(await rowsOf(looked), conditions);
    for (const { integrationId, subject } of begun)
      await store.alerts.raise(integrationId, subject);
    for (const row of ended) {
      await store.alerts.end(row.integrationId, row.subject);
      // Who never heard of it need not hear that it is over.
      const isKnown = teller.drop(row) || row.toldAt !== null;
      if (!isKnown) await store.alerts.noteTold(row);
    }
  }

  async function rowsOf(looked: readonly Integration[]) {
    const ids = new Set(looked.map(({ id }) => id));
    return (await store.alerts.list()).filter(({ integrationId }) => ids.has(integrationId));
  }
}

function rowOf({ row }: RecordedChange) {
  return row;
}
