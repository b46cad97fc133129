/** Sends a message when a problem starts, and another message when the problem ends. */
import type { AlertSettings, OwnAlerts } from '../../core/alert-settings.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Log } from '../../core/log.ts';
import type { RunReport } from '../../core/run.ts';
import type { LeaseAttempt } from '../../database/leases.ts';
import type { Store } from '../../store.ts';
import { endAlert, listAlerts, raiseAlert, recordAlertSent } from '../statements/alerts.ts';
import { createAuditEnds } from './audit-end.ts';
import { compare, type RecordedChange, sortUnsent } from './changes.ts';
import { createChannels, createOwnChannel } from './channels.ts';
import { type Condition, listConditions } from './conditions.ts';
import type { Channel } from './message.ts';
import { createNotifier } from './notifier.ts';
import { createRecoveryNotices } from './recovery-notices.ts';
import { createStateReader } from './state.ts';

export interface AlertsDeps {
  store: Store;
  integrations: ReadonlyMap<string, Integration>;
  settings: AlertSettings;
  /** Returns the server's address for links at the time of sending. Null if this process does not know the address. */
  readUrl(): Promise<string | null>;
  clock: Clock;
  log: Log;
  guard?: { fetchFor(integration: Integration): typeof globalThis.fetch | undefined };
  /** Acquires a lease, so that only one process sends messages if several processes share a database. */
  takeLease(name: string): Promise<LeaseAttempt>;
}

export interface Alerts {
  /** Checks all integrations now, and then once a minute. */
  start(): void;
  /** Checks the integration of an ended run. Returns immediately, without waiting for the check. */
  afterRun(report: Pick<RunReport, 'integration'>): void;
  /** Checks all integrations and sends the changes. This function never rejects. */
  tick(): Promise<void>;
  /** Stops checking. Resolves soon after the current check has ended. */
  close(): Promise<void>;
}

const CHECK_INTERVAL_MS = 60_000;

/** The name of the lease. No integration can have this ID. */
const LEASE_NAME = '*alerts';

/** Creates the alerts. Integrations without a channel are not checked. */
export function createAlerts(deps: AlertsDeps): Alerts {
  const { store, integrations, settings, readUrl, clock, log } = deps;
  const channels = createChannels(settings);
  const readStates = createStateReader(store);
  const ownChannels = new WeakMap<OwnAlerts, Channel | null>();
  const notifier = createNotifier({ channels, ownChannel, readUrl, clock, log });
  const ends = createAuditEnds({ store, channels, readUrl, clock, log });
  const recoveries = createRecoveryNotices({ store, channels, readUrl, clock, log });
  const closing = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  let watching: Promise<void> = Promise.resolve();

  return {
    start() {
      watching = watch();
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

  function ownChannel(integrationId: string): Channel | null {
    const integration = integrations.get(integrationId);
    if (integration?.alerts === undefined) return null;
    const own = integration.alerts;
    const made = ownChannels.get(own) ?? createOwnChannel(own, deps.guard?.fetchFor(integration));
    ownChannels.set(own, made);
    return made;
  }

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await queue([...integrations.values()]);
      await clock.sleep(CHECK_INTERVAL_MS, closing.signal);
    }
  }

  /** Runs one check at a time, so that no message is sent twice. */
  function queue(checked: readonly Integration[]): Promise<void> {
    underWay = underWay
      .then(() => checkAlone(checked))
      .catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'the alerts could not be checked');
      });
    return underWay;
  }

  async function checkAlone(all: readonly Integration[]): Promise<void> {
    const hasChannel = ({ id }: Integration) => channels.length > 0 || ownChannel(id) !== null;
    const checked = all.filter(hasChannel);
    // Recovery notices are sent even if there are no integrations.
    if ((checked.length === 0 && channels.length === 0) || closing.signal.aborted) return;
    const attempt = await deps.takeLease(LEASE_NAME);
    // A different process is sending the message.
    if (!attempt.acquired) return;
    try {
      await recoveries.send(closing.signal);
      if (checked.length > 0) await check(checked);
    } finally {
      await store.leases.release(attempt.lease);
    }
  }

  async function check(checked: readonly Integration[]): Promise<void> {
    const now = clock.now();
    const states = await readStates(checked);
    const conditions = states.flatMap((state) => listConditions(state, settings, now));
    await record(checked, conditions);
    const { toSend, toDrop } = sortUnsent(await listRows(checked), conditions, settings);
    const sent = await notifier.notify(toSend, closing.signal);
    for (const row of [...toDrop, ...sent.map(getRow)])
      await recordAlertSent(store.connection, row);
    if (sent.length > 0) log.info({ changes: sent.length }, 'alerts were sent');
    if (settings.on.includes('auditEnd')) await ends.send(closing.signal);
  }

  /** Records a change before it is sent. After a crash, a message may be sent twice, but no message is lost. */
  async function record(
    checked: readonly Integration[],
    conditions: readonly Condition[],
  ): Promise<void> {
    const { begun, ended } = compare(await listRows(checked), conditions);
    for (const { integrationId, subject } of begun)
      await raiseAlert(store.connection, integrationId, subject);
    for (const row of ended) {
      await endAlert(store.connection, row.integrationId, row.subject);
      // If users were never told about a problem, they need no message about its end.
      const isKnown = notifier.drop(row) || row.sentAt !== null;
      if (!isKnown) await recordAlertSent(store.connection, row);
    }
  }

  async function listRows(checked: readonly Integration[]) {
    const ids = new Set(checked.map(({ id }) => id));
    return (await listAlerts(store.reader)).filter(({ integrationId }) => ids.has(integrationId));
  }
}

function getRow({ row }: RecordedChange) {
  return row;
}
