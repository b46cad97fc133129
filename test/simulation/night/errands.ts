/**
 * Simulates users' requests while hosts sync. Users decide, erase contacts, undo runs, and sync single contacts. An
 * interrupted request is repeated.
 */
import { isDonorSyncError, messageOf } from '../../../src/core/errors.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import type { SimulatedCrm } from '../crm/crm.ts';
import type { Record_ } from '../crm/record.ts';
import { type Errand, errandsOf, runErrand } from '../people/desk.ts';
import { HOUR_MS } from '../timeline.ts';
import { stackOf } from '../trace.ts';
import type { Processes } from './processes.ts';
import type { Syncing } from './syncing.ts';
import type { Host, Night } from './world.ts';

export interface Erasure {
  integration: Integration;
  crm: SimulatedCrm;
  errand: Extract<Errand, { kind: 'forget' }>;
}

export interface Errands {
  /** Carries out users' requests while hosts sync. Repeats a failed request once. */
  workAtDesk(): Promise<void>;
  /** Erases the last written contact, before it is recorded that the CRM has the values. */
  forgetWritten(host: Host, integration: Integration): Promise<void>;
  repeatLater(erasure: Erasure): void;
  /** Repeats interrupted erasures, as the product asks users to do. */
  finishErasures(): Promise<void>;
}

export function createErrands(
  night: Night,
  { bear, live, openAs }: Processes,
  { syncOnce }: Syncing,
): Errands {
  const { swarm, timeline, oracle, crms, hosts, settings, answers } = night;
  const { fates, desk, say, violate } = night;
  const erasures: Erasure[] = [];
  /** True if a dead process's lease can look valid because the dead process's clock was ahead. */
  let mayBeTaken = false;
  return {
    ...{ workAtDesk, forgetWritten, finishErasures },
    repeatLater: (erasure) => erasures.push(erasure),
  };

  async function workAtDesk(): Promise<void> {
    for (const integration of settings.integrations) {
      const crm = crms.get(integration.id);
      if (crm === undefined) continue;
      for (const errand of errandsOf(swarm.desk, crm, desk)) {
        await timeline.pass(desk.magnitude(1_000, 600_000));
        const host = desk.one(hosts);
        if (host === undefined) return;
        for (let tries = 0; tries < 3; tries += 1) {
          const how = await runOnErrand(host, integration, crm, errand);
          if (how === true) break;
          if (errand.kind === 'forget' && tries === 0) erasures.push({ integration, crm, errand });
          await timeline.pass(desk.magnitude(5_000, 300_000));
        }
      }
    }
  }

  /** Carries out a request. Returns true if the request is done or cannot be done. */
  async function runOnErrand(
    host: Host,
    integration: Integration,
    crm: SimulatedCrm,
    errand: Errand,
  ): Promise<boolean> {
    if (errand.kind === 'only') {
      return (await syncOnce(host, integration, false, errand.typed)) === 'over';
    }
    const life = bear(host);
    life.isAtDesk = errand.kind !== 'decide';
    const how = await live(life, async () => {
      try {
        const application = await openAs(life);
        try {
          const { now } = timeline;
          const { onChangesDecided } = oracle;
          const work = {
            ...{ application, integration, life, crm, random: desk, now, say },
            ...{ onChangesDecided, answers },
          };
          return await runErrand(work, errand);
        } finally {
          await application.close();
        }
      } catch (error) {
        if (life.state === 'gone') return false;
        say(`process ${life.name}`, `ends: ${messageOf(error)}`);
        if (!isDonorSyncError(error)) violate('no error', stackOf(error));
        const isUnknown = isDonorSyncError(error) && error.code === 'contact_unknown';
        const isTaken = isDonorSyncError(error) && error.code === 'already_running';
        if (night.isCalm && !isUnknown && !(isTaken && mayBeTaken))
          violate('no stuck state', `an erasure fails: ${messageOf(error)}`);
        return isUnknown;
      }
    });
    return how === true;
  }

  async function forgetWritten(host: Host, integration: Integration): Promise<void> {
    const living = crms.get(integration.id)?.living() ?? [];
    const last = living.toSorted((a, b) => writtenAt(b) - writtenAt(a)).at(0);
    if (last === undefined || writtenAt(last) === 0 || !fates.chance(0.6)) return;
    // After this time, the leases of dead processes have expired.
    await timeline.pass(35_000);
    const crm = crms.get(integration.id);
    if (crm === undefined) return;
    const errand = { kind: 'forget', record: last, typed: last.id, alsoInCrm: true } as const;
    if ((await runOnErrand(host, integration, crm, errand)) !== true) {
      erasures.push({ integration, crm, errand });
    }
  }

  async function finishErasures(): Promise<void> {
    const [host] = hosts;
    for (const { integration, crm, errand } of erasures) {
      if (host === undefined || errand.record.forgottenAt !== null) continue;
      await timeline.pass(HOUR_MS);
      mayBeTaken = swarm.faults.clockJump > 0;
      const isDone = await runOnErrand(host, integration, crm, errand);
      mayBeTaken = false;
      if (isDone) continue;
      await timeline.pass(HOUR_MS);
      await runOnErrand(host, integration, crm, errand);
    }
  }
}

/**
 * Returns the time when a run last wrote into the record or into its former row in a list. Returns 0 if no run has
 * written into either row.
 */
function writtenAt({ written, formerRows }: Record_): number {
  return Math.max(
    0,
    ...[written, ...formerRows.map((row) => row.written)].map((at) => at?.at ?? 0),
  );
}
