/**
 * Guards against marks that exclude more than half of the contacts. The mark is right in a memorial file, but wrong if
 * a column means the opposite of its name. Therefore, a user confirms the column and its values once. Until then, runs
 * spend no credits, but deliver paid profiles. If too many contacts are excluded in a nightly run, the run does not
 * fail, but asks a user.
 */

import type { MarkCount } from '../../../connectors/contract.ts';
import { leavesOutMost, markText } from '../../../connectors/marks/mark-counts.ts';
import {
  confirmAskedMarks,
  listConfirmedMarks,
  recordAskedMarks,
} from '../../contacts/many-at-once/mark-questions.ts';
import type { Run, SyncDeps } from '../control/context.ts';

type MarkDeps = Pick<SyncDeps, 'store' | 'connector'>;

/** Finds the marks that exclude most contacts because of a value that no user has confirmed yet. */
export async function findUnconfirmedMarks(
  deps: MarkDeps,
  integrationId: string,
): Promise<MarkCount[]> {
  return (await findUnconfirmed(deps, integrationId)).map(({ mark }) => mark);
}

interface Unconfirmed {
  mark: MarkCount;
  /** The fingerprints of the mark's values that no user has confirmed yet. */
  values: string[];
}

async function findUnconfirmed(
  { store, connector }: MarkDeps,
  integrationId: string,
): Promise<Unconfirmed[]> {
  const marks = ((await connector.countMarks?.()) ?? []).filter(leavesOutMost);
  const all = marks.map((mark) => ({
    mark,
    values: [...mark.values.keys()].map((value) =>
      store.fingerprint('mark', JSON.stringify([mark.kind, mark.field, value])),
    ),
  }));
  const confirmed = await listConfirmedMarks(
    store.reader,
    integrationId,
    all.flatMap(({ values }) => values),
  );
  return all.flatMap(({ mark, values }) => {
    const open = values.filter((value) => !confirmed.has(value));
    return open.length === 0 ? [] : [{ mark, values: open }];
  });
}

/**
 * Stops the run's spending until a user has confirmed marks that exclude most contacts. If `isAccepted` is true,
 * confirms the current marks.
 */
export async function askAboutMarks(
  deps: MarkDeps & Pick<SyncDeps, 'log'>,
  run: Run,
  isAccepted: boolean,
): Promise<void> {
  const { id } = run.integration;
  const open = await findUnconfirmed(deps, id);
  if (open.length === 0) return;
  await deps.store.checkpoint(run.lease, (trx) =>
    recordAskedMarks(
      trx,
      open.flatMap(({ values }) => values),
    ),
  );
  if (isAccepted) {
    await deps.store.act((trx) => confirmAskedMarks(trx, id));
    return;
  }
  deps.log.warn(
    { run: run.id, marks: open.length },
    'a mark leaves out most contacts: a user decides',
  );
  const marks = open.map(({ mark }) => mark);
  run.control.stopSpending('marks_unconfirmed', unconfirmedText(marks, id));
}

/** Describes the contacts that the marks exclude and the user's options. */
function unconfirmedText(marks: readonly MarkCount[], integrationId: string): string {
  return `${marks.map(markText).join('; ')}. No contact is sent to the service until you have confirmed this once with \`donor-sync sync ${integrationId} --accept-marks\`, or have corrected the column or its values in the settings.`;
}
