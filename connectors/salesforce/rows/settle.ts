/** Finds a result for the changes that have no result after the first write. */
import type { WriteResult } from '../../contract.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import { getMeaning, type SalesforceFault } from '../errors.ts';
import type { SalesforceSession } from '../session.ts';
import { searchCulprits, toAtoms } from './culprits.ts';
import { findSuspects, learn, mayFind, mayTry, setKey, toRule } from './lessons.ts';
import { retryLocked } from './locks.ts';
import {
  asNamed,
  type Blamed,
  createUnsettled,
  mayBeOfField,
  namesOwnField,
  refused,
  type SentChange,
  type Step,
  type UnnamedRefusal,
  type Unsettled,
  written,
} from './refusals.ts';
import { tryUpdate } from './trial.ts';

/** Writes many changes, and adds the changes that have no result to `unsettled`. */
export type WritePass = (
  session: SalesforceSession,
  changes: readonly SentChange[],
  unsettled: Unsettled,
) => AsyncGenerator<WriteResult>;

/**
 * Writes the remaining changes again until each change has a result. The first changes are the changes that Salesforce
 * rejected without naming a field. donor-sync writes these changes without the fields that cause the rejection. The
 * changes to locked records follow. The loop always ends, because each step removes fields or possibilities from a
 * change.
 */
export async function* settle(
  session: SalesforceSession,
  unsettled: Unsettled,
  pass: WritePass,
): AsyncGenerator<WriteResult> {
  let open = unsettled;
  while (open.locked.length + open.again.length + open.unnamed.length > 0) {
    const next = createUnsettled();
    const again = [...open.again];
    for (const refusal of open.unnamed) {
      const step = await session.lessons.turn.take(() => afterUnnamed(session, refusal));
      if (step.kind === 'done') yield step.result;
      else if (step.kind === 'locked') open.locked.push(step.change);
      else again.push(step.change);
    }
    yield* pass(session, again, next);
    yield* retryLocked(session, open.locked, next);
    open = next;
  }
}

type Writer = Pick<SalesforceSession, 'api' | 'settings' | 'lessons' | 'signal' | 'log'>;

/**
 * Decides which fields are omitted from a change. If the cause is unknown, searches for the fields that cause the
 * rejection. If the search shows that Salesforce accepts all fields, writes the change again separately, but only once.
 */
async function afterUnnamed(
  session: Writer,
  { change: sent, faults }: UnnamedRefusal,
): Promise<Exclude<Step, { kind: 'unnamed' }>> {
  let change = withoutVain(sent, faults);
  if (!change.alone && faults.every((fault) => session.lessons.acceptsAlone.has(toRule(fault)))) {
    return { kind: 'again', change: { ...change, alone: true } };
  }
  for (;;) {
    const plan = leaveOut(session, change, faults);
    if (plan.kind === 'attempt') return afterAttempt(change, faults, plan.blamed);
    if (plan.kind === 'refused') return { kind: 'done', result: refused(change, faults) };
    const found = await search(session, change, plan.fault);
    if (found.state === 'locked') return { kind: 'locked', change };
    if (found.state === 'kept') return toKeptStep(change, faults, found.fields);
    if (found.state === 'unclear') return { kind: 'done', result: refused(change, faults) };
    change = { ...change, tried: [...(change.tried ?? []), searchKey(plan.fault)] };
    if (found.fields?.length === 0) {
      session.lessons.acceptsAlone.add(toRule(plan.fault));
      return { kind: 'again', change: { ...change, alone: true } };
    }
    learn(session.lessons, plan.fault, found.fields);
  }
}

/** Writes the change without these fields. If all values of the change belong together, rejects the whole change. */
function afterAttempt(
  change: SentChange,
  faults: readonly SalesforceFault[],
  blamed: readonly Blamed[],
): Exclude<Step, { kind: 'unnamed' }> {
  const fields = new Set(blamed.flatMap((one) => one.fields));
  const rest = Object.entries(change.values).filter(([name]) => !fields.has(name));
  if (change.together || rest.length === 0) {
    const others = faults.filter((fault) => !blamed.some((one) => one.fault === fault));
    return { kind: 'done', result: refused(change, [...blamed.map(asNamed), ...others]) };
  }
  const attempt = { values: change.values, blamed };
  return { kind: 'again', change: { ...change, values: Object.fromEntries(rest), attempt } };
}

/**
 * Restores fields whose omission had no effect, because the same rule rejected the change without them too. All other
 * omissions stay.
 */
function withoutVain(
  { attempt, ...change }: SentChange,
  faults: readonly SalesforceFault[],
): SentChange {
  if (attempt === undefined) return change;
  const rules = new Set(faults.map(toRule));
  const isVain = ({ fault }: Blamed) => rules.has(toRule(fault));
  const helped = attempt.blamed.filter((one) => !isVain(one));
  const out = new Set(helped.flatMap(({ fields }) => fields));
  const values = Object.entries(attempt.values).filter(([name]) => !out.has(name));
  return {
    ...change,
    values: Object.fromEntries(values),
    left: [...(change.left ?? []), ...helped.map(asNamed)],
    tried: [...(change.tried ?? []), ...attempt.blamed.filter(isVain).map(triedKey)],
  };
}

function triedKey({ fault, fields }: Blamed): string {
  return `${toRule(fault)} without ${setKey(fields)}`;
}

function searchKey(fault: SalesforceFault): string {
  return `${toRule(fault)} searched`;
}

type LeaveOut =
  | { kind: 'attempt'; blamed: readonly Blamed[] }
  | { kind: 'search'; fault: SalesforceFault }
  | { kind: 'refused' };

/**
 * Chooses the fields that cause each rejection without a named field. The fields caused rejections of other contacts,
 * or a search has found them.
 */
function leaveOut(
  { lessons, settings }: Writer,
  change: SentChange,
  faults: readonly SalesforceFault[],
): LeaveOut {
  const tried = new Set(change.tried);
  const fields = Object.keys(change.values);
  const blamed: Blamed[] = [];
  for (const fault of faults) {
    if (namesOwnField(change, fault)) continue;
    const suspects = findSuspects(lessons, fault, change.together)
      .map((set) => set.filter((name) => fields.includes(name)))
      .filter((set) => set.length > 0 && set.length < fields.length)
      // The caller has already blanked these fields, and the rule still rejects the change.
      .filter((set) => !change.together || set.some((name) => change.values[name] !== null));
    const suspect = suspects.find((set) => !tried.has(triedKey({ fault, fields: set })));
    if (suspect !== undefined) {
      blamed.push({ fault, fields: suspect });
      continue;
    }
    const maySearch = settings.probe && mayTry(lessons) && mayFind(lessons, fault);
    const isNew = fields.length > 1 && !tried.has(searchKey(fault));
    return maySearch && isNew ? { kind: 'search', fault } : { kind: 'refused' };
  }
  return { kind: 'attempt', blamed };
}

type Found =
  /**
   * The fields that cause the rejection. The list is empty if Salesforce now accepts all fields. The result is null if
   * no field is the cause.
   */
  | { state: 'found'; fields: readonly string[] | null }
  | { state: 'locked' }
  /** The contact's values do not cause the rejection, or no more trials are allowed. */
  | { state: 'unclear' }
  | { state: 'kept'; fields: readonly string[] };

/** Searches for the fields that cause the rejection of one contact. The trials change nothing in the CRM. */
async function search(session: Writer, change: SentChange, fault: SalesforceFault): Promise<Found> {
  const { lessons, log, signal } = session;
  const trials = searchCulprits(toAtoms(Object.keys(change.values), change.groups));
  for (let step = trials.next(); ; ) {
    if (step.done) return { state: 'found', fields: step.value?.flat() ?? null };
    throwIfStopped(signal);
    if (!mayTry(lessons)) return { state: 'unclear' };
    lessons.trials += 1;
    const fields = new Set(step.value.flat());
    const values = Object.entries(change.values).filter(([name]) => fields.has(name));
    const trial = await tryUpdate(session, change.id, Object.fromEntries(values));
    if (trial.state === 'kept') {
      lessons.areTrialsSafe = false;
      log.warn(
        { code: 'crm_trial_kept' },
        'Salesforce did not roll back an update that was only a trial; no more trials in this run',
      );
      return trial.isWritten ? { state: 'kept', fields: [...fields] } : { state: 'unclear' };
    }
    const faults = trial.state === 'refused' ? trial.faults : [];
    if (faults.some((one) => getMeaning(one).sort === 'lock')) return { state: 'locked' };
    if (!faults.every(mayBeOfField)) return { state: 'unclear' };
    const isSame = faults.some((one) => toRule(one) === toRule(fault));
    step = trials.next(faults.length === 0 ? 'accepted' : isSame ? 'same' : 'other');
  }
}

/**
 * Returns the next step if Salesforce did not roll back a trial. The trial's fields have been written, and all other
 * fields are rejected.
 */
function toKeptStep(
  change: SentChange,
  faults: readonly SalesforceFault[],
  fields: readonly string[],
): Exclude<Step, { kind: 'unnamed' }> {
  const others = Object.keys(change.values).filter((name) => !fields.includes(name));
  const left = [
    ...(change.left ?? []),
    ...faults.map((fault) => asNamed({ fault, fields: others })),
  ];
  return { kind: 'done', result: written({ ...change, left }) };
}
