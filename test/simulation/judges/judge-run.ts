/** Compares a run's own report with what happened. */
import { isDonorSyncError, messageOf } from '../../../src/core/errors.ts';
import type { RunReport } from '../../../src/core/run.ts';
import type { SimulatedCrm } from '../crm/crm.ts';
import { erasedIn } from '../crm/family.ts';
import { type Record_, versionOf } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import type { Life } from '../processes/process.ts';
import { stackOf } from '../trace.ts';

export interface Judged
  extends Pick<World, 'swarm' | 'crms' | 'oracle' | 'service' | 'store' | 'violate' | 'look'> {
  isCalm(): boolean;
  now(): number;
  /** Returns the number of processes that were killed during this simulated night. */
  killed(): number;
  /** Returns the client's current service key. */
  keyOf(integration: string): string;
  say(who: string, what: string): void;
}

/** Checks whether a run ended normally, and records its end. */
export function judgeEnd(
  world: Judged,
  life: Life,
  report: RunReport | null,
  error: unknown,
): void {
  const { oracle, violate, isCalm, say } = world;
  const reason = report?.reason ? ` (${report.reason.code})` : '';
  const end = report ? `${report.status}${reason}` : `throws: ${messageOf(error)}`;
  say(`process ${life.name}`, `ends: ${end}`);
  if (report?.status === 'succeeded') oracle.onEndedWell(life.name);
  if (report?.reason) world.look('no stuck state', `reason: ${report.reason.code}`);
  judgeReport(world, life, report);
  judgeWritten(world, life, report);
  if (error !== null && !isDonorSyncError(error)) violate('no error', stackOf(error));
  if (report?.status === 'failed' && report.reason?.code === 'unexpected_error') {
    violate('no error', `a run fails: ${report.reason.message}`);
  }
  if (isCalm() && report?.status === 'failed') {
    violate('no stuck state', `a quiet run fails: ${report.reason?.code}`);
  }
  if (isDonorSyncError(error) && error.code.startsWith('database_')) oracle.onTrouble();
}

/**
 * Judges a run of a process that executes several syncs in sequence. The service's ledger covers all of the process's
 * runs.
 */
export function judgeServed(world: Judged, life: Life, report: RunReport): void {
  const { oracle, violate, isCalm, say, now } = world;
  const code = report.reason?.code ?? null;
  say(
    `process ${life.name}`,
    `has run ${report.integration}: ${report.status} (${code ?? 'well'})`,
  );
  if (code !== null) world.look('no stuck state', `reason: ${code}`);
  // The process may have had earlier runs. The product does not know what they wrote if the response was lost.
  if (report.status === 'succeeded') oracle.onEndedWell(life.name, now() - tookMs(report));
  if (report.status !== 'failed') return;
  if (code === 'unexpected_error') violate('no error', `a run fails: ${report.reason?.message}`);
  else if (isCalm() && !isForGone(world, report) && !isGivenUp(world, code))
    violate('no stuck state', `a quiet run fails: ${code}`);
}

/** Returns the run's duration by the host's clock, which can be wrong. */
function tookMs({ startedAt, finishedAt }: RunReport): number {
  return Date.parse(finishedAt ?? startedAt) - Date.parse(startedAt);
}

/**
 * Returns true if the request was dropped because its run was cut off six times. The process that notices this may
 * itself be undisturbed.
 */
function isGivenUp({ killed }: Judged, code: string | null): boolean {
  return code === 'cut_off_too_often' && killed() >= 6;
}

/**
 * Returns true if a user requested a contact that was never read, because it was deleted before a process started the
 * run.
 */
function isForGone({ crms }: Judged, { reason, integration, trigger }: RunReport): boolean {
  if (reason?.code !== 'contact_unknown' || trigger !== 'manual') return false;
  const [id = ''] = /"[^"]*"/.exec(reason.message) ?? [];
  return (crms.get(integration)?.records.get(id.slice(1, -1))?.gone ?? null) !== null;
}

/** If no response is lost, checks that the report agrees with the service's ledger. */
function judgeReport(world: Judged, life: Life, report: RunReport | null): void {
  const { swarm, crms, oracle, service, violate } = world;
  const { kill, freeze, stop, clockSkew, clockJump, crm: _, ...others } = swarm.faults;
  const crm = crms.get(report?.integration ?? '');
  if (report === null || crm === undefined) return;
  if (Object.values(others).some((probability) => probability > 0)) return;
  if (kill + freeze + stop + clockSkew + clockJump > 0) return;
  const { spent } = report.credits.enhancements;
  const paid = oracle.paidBy(life.name, crm);
  // If the CRM ends a run, the run does not wait for a slow response. A different run settles the cost and reports
  // it.
  const isUnanswered = oracle.payments.some((each) => each.crm === crm && !each.isAnswered);
  if (spent !== paid && !(swarm.faults.crm > 0 && isUnanswered)) {
    violate('reports', `the run of process ${life.name} reports ${spent} credits of ${paid}`);
  }
  if (swarm.hosts === 1 && service.throttled > 0) {
    violate('pace', `a healthy night meets ${service.throttled} answers 429`);
  }
}

/** The outcomes of a job whose result cannot be written. */
const IN_VAIN: ReadonlySet<string> = new Set(['failed', 'wrong person']);

const IN_LINE = "select crm_id from contacts where crm_id = ? and state = 'due'";

/** Checks that a written contact is reported as written, whatever was read about it later. */
function judgeWritten(world: Judged, life: Life, report: RunReport | null): void {
  const { swarm, crms, oracle, store, violate } = world;
  const crm = crms.get(report?.integration ?? '');
  const { perRun, perMonth, keep } = swarm.settings;
  if (report?.status !== 'succeeded' || crm === undefined || swarm.faults.crm > 0) return;
  if (perRun !== null || perMonth !== null || keep > 0) return;
  const written = crm.living().filter((record) => {
    const { by, at } = record.written ?? { by: null, at: 0 };
    const payments = oracle.paymentsOf(record);
    // If a contact is paid for again later, it has a later outcome. A contact also has a later outcome if its payment
    // is due, or if many changed contacts wait for a user's decision.
    const isChanged = payments.at(-1)?.version !== versionOf(record.details);
    const isAsked = isAskedSince(crm, record, life, at);
    // A credit without a result is a more useful outcome than an older profile in the record, even if an earlier run
    // spent the credit. A decision about someone else's profile is a more useful outcome than the removal of a
    // previous person's values.
    const last = payments.at(-1)?.job.fate;
    const isInVain =
      payments.some(({ job }) => job.sender === life.name && IN_VAIN.has(job.fate)) ||
      last === 'failed' ||
      last === 'vanished' ||
      isOutOfSight(world, crm, payments.at(-1)?.job.key);
    // A user's decision not to spend a lost credit again is also a more useful outcome.
    const isLossRejected = record.rejectedLoss === versionOf(record.details);
    return (
      by === life.name &&
      !isClearedOfErased(record, at) &&
      !isChanged &&
      !isAsked &&
      !isInVain &&
      !isLossRejected &&
      // A contact that waits for its next credit is reported as waiting, even if an older profile was written in the
      // meantime.
      store.rows(IN_LINE, record.id).length === 0 &&
      payments.every(({ job }) => job.paidAt < at)
    );
  });
  if (report.contacts.written < written.length) {
    const what = `the run of process ${life.name} has written ${written.length} contacts and reports ${report.contacts.written}`;
    violate('reports', what);
  }
}

/**
 * Returns true for a credit that another team's key paid. With the current key, the credit's job counts as missing.
 */
function isOutOfSight({ service, keyOf }: Judged, crm: SimulatedCrm, key?: string): boolean {
  return key !== undefined && service.teamOf(key) !== service.teamOf(keyOf(crm.name));
}

/**
 * Returns true if a write only cleared fields that an erasure could not reach. The run's report does not include such
 * writes. If a user once distinguished the contact from an erased person, that decision does not affect the contact's
 * own later erasure.
 */
function isClearedOfErased(record: Record_, writtenAt: number): boolean {
  const erasedAt = record.forgottenAt ?? record.erasureBegunAt ?? Number.POSITIVE_INFINITY;
  const toldAt = record.distinguishedAt;
  const isTold = toldAt !== null && toldAt >= erasedAt && toldAt <= writtenAt;
  return erasedAt <= writtenAt && !isTold;
}

/**
 * Returns true if a user has to decide about a merge with an erased contact. A run reads the merge after it has read
 * the record for the write. A user's decision from before the merge was read does not apply to the merge. A user's
 * answer during the run gives the contact a later outcome.
 */
function isAskedSince(crm: SimulatedCrm, record: Record_, life: Life, writtenAt: number): boolean {
  const decidedAt = record.distinguishedAt ?? Number.NEGATIVE_INFINITY;
  const preparedAt = Math.min(writtenAt, record.valuesReadBy.get(life.name) ?? writtenAt);
  return erasedIn(crm, record).some(({ goneReads, forgottenAt, erasureBegunAt }) => {
    const erasedAt = forgottenAt ?? erasureBegunAt ?? 0;
    const isRead = goneReads.some(({ by, at }) => by === life.name && at > preparedAt);
    const isDecided = goneReads.some(({ at }) => at > erasedAt && at <= decidedAt);
    return isRead && !(isDecided && decidedAt <= writtenAt);
  });
}
