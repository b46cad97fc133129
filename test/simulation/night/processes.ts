/**
 * Runs the product's processes. Each process starts on a host with its planned faults, opens the product like the
 * `donor-sync` command, and runs until its work is done.
 */
import { type Application, openApplication } from '../../../src/application.ts';
import { isDonorSyncError, messageOf } from '../../../src/core/errors.ts';
import { type Log, silentLog } from '../../../src/core/log.ts';
import { LEASE_MS } from '../../../src/database/transact.ts';
import { simulatedConnector } from '../crm/connector.ts';
import { fateOf } from '../faults/fates.ts';
import { createErasureLog, createSpendingJournal, createWriteLog } from '../people/restoring.ts';
import { beginLife, type Fate, type Life } from '../processes/process.ts';
import { createWire, type WireDeps } from '../service/wire.ts';
import { KEY_RING, SECRET_KEY } from '../settings.ts';
import { setLiving } from '../takeover.ts';
import { HOUR_MS } from '../timeline.ts';
import { stackOf } from '../trace.ts';
import type { Host, Night } from './world.ts';

export interface Processes {
  /** Starts a new process on a host. The process gets the given fate, or a random fate. */
  bear(host: Host, fate?: Fate | null): Life;
  /** Runs a process until its work is done. */
  live<Result>(life: Life, task: () => Promise<Result>): Promise<Result | 'dead' | 'too long'>;
  openAs(life: Life): Promise<Application>;
  logOf(life: Life): Log;
  /** Runs a task in a new process. Returns null if the process does not finish. */
  atWork<Result>(
    task: (application: Application, life: Life) => Promise<Result>,
    fate?: Fate,
  ): Promise<Result | null>;
  /** Removes the last lines of the spending journal. */
  cutJournal(): void;
  /** Removes the lines of the spending journal since this time. */
  putJournalBack(at: number): void;
}

/** A run that takes longer counts as endless. */
const LONGEST_RUN_MS = 3 * HOUR_MS;

export function createProcesses(night: Night, wire: WireDeps): Processes {
  const { swarm, timeline, trace, store, oracle, crms, coverage, roster, hosts, settings } = night;
  const { fates, isServer, say, violate } = night;
  const { lives, births, named, stills } = roster;
  const erasureLog = createErasureLog();
  const writeLog = createWriteLog();
  const spendingJournal = createSpendingJournal();
  setLiving((processId, asking) => {
    const life = lives.get(processId);
    const asker = [...lives.values()].find((each) => each === asking);
    // A process cannot see processes on a different host or in a different container.
    const isSeen = life?.owner.space === asker?.owner.space;
    return isSeen && life !== undefined && life.state !== 'gone';
  });
  return {
    bear,
    live,
    openAs,
    logOf,
    atWork,
    cutJournal: spendingJournal.cut,
    putJournalBack: spendingJournal.putBack,
  };

  function bear(host: Host, fate: Fate | null = null): Life {
    host.lives += 1;
    const processId = 1_000 + lives.size + hosts.indexOf(host) * 100 + host.lives * 1_000;
    const life = beginLife({
      ...{ host: host.name, number: host.lives, processId, clock: host.clock, timeline, say },
      hostName: swarm.sameHostName ? 'one' : host.name,
      space: spaceOf(host),
      fate:
        fate ?? (night.isCalm ? { kill: null, freeze: null, stop: null } : fateOf(swarm, fates)),
      random: fates,
      passed(point) {
        trace.note(`${life.name} ${point}`);
        coverage.point(point);
      },
      onFreeze(ms) {
        stills.push({ from: timeline.now(), until: timeline.now() + ms });
        // Another process can take over, and data that was received but not recorded is lost.
        if (ms > LEASE_MS) oracle.onTrouble();
      },
      onDeath(dead, point) {
        roster.killed += 1;
        coverage.kill(point);
        oracle.onTrouble();
        store.drop(dead);
      },
    });
    lives.set(processId, life);
    births.set(life.name, timeline.now());
    named.set(life.name, life);
    return life;
  }

  async function live<Result>(
    life: Life,
    task: () => Promise<Result>,
  ): Promise<Result | 'dead' | 'too long'> {
    const { promise: limit, resolve: giveUp } = Promise.withResolvers<'too long'>();
    const timer = timeline.after(LONGEST_RUN_MS, () => giveUp('too long'));
    const work = life.run(task);
    const how = await Promise.race([work, life.death.then((): 'dead' => 'dead'), limit]);
    timer.cancel();
    lives.delete(life.owner.processId);
    if (how === 'too long') violate('an end', `the run of process ${life.name} does not end`);
    return how;
  }

  function openAs(life: Life): Promise<Application> {
    return openApplication({
      ...{
        settings,
        secretKey: SECRET_KEY,
        keyRing: KEY_RING,
        clock: life.clock,
        owner: life.owner,
      },
      log: logOf(life),
      neighbours: {
        openDatabase: async () => store.open(life),
        findConnectorDefinition: async () => simulatedConnector(crms, life),
        fetch: createWire(wire, life),
        openErasureLog: () => erasureLog.openFor(life),
        openWriteLog: () => writeLog,
        openSpendingJournal: () => spendingJournal.openFor(life),
        connectQueue: () => ({ db: store.openQueue(life) }),
      },
    });
  }

  async function atWork<Result>(
    task: (application: Application, life: Life) => Promise<Result>,
    fate?: Fate,
  ): Promise<Result | null> {
    const [host] = hosts;
    if (host === undefined) return null;
    const life = bear(host, fate);
    const how = await live(life, async () => {
      try {
        const application = await openAs(life);
        try {
          return { result: await task(application, life) };
        } finally {
          await application.close();
        }
      } catch (error) {
        if (life.state === 'gone') return null;
        say(`process ${life.name}`, `ends: ${messageOf(error)}`);
        if (!isDonorSyncError(error)) violate('no error', stackOf(error));
        return null;
      }
    });
    return how === null || how === 'dead' || how === 'too long' ? null : how.result;
  }

  function spaceOf({ name }: Host): string | null {
    if (!swarm.areProcessesKnown) return null;
    return isServer ? `boot-${name}` : 'boot';
  }

  function logOf(life: Life): Log {
    const line = (_: object, message: string) => trace.note(`${life.name} ${message}`);
    return { ...silentLog, info: line, warn: line, error: line };
  }
}
