/** Finds waiting values, and tools that change values from donor-sync. */
import type { Connector, Finding } from '../../../connectors/contract.ts';
import { plain } from '../../../connectors/findings/findings.ts';
import type { OpenIntegration } from '../../application.ts';
import { describeCount, formatTimestamp } from '../../core/quantities.ts';
import type { WaitingReason } from '../../core/waiting-values.ts';
import { readFields } from '../../fields/describe.ts';
import { findOtherTool, listNormalisedFields } from '../../fields/statements/normalised-fields.ts';
import { listWaitingValues } from '../../fields/statements/value-states.ts';
import { fingerprintField, isProfileLine } from '../../fields/value-states.ts';
import { readValuesWaiting } from '../../fields/waiting-values-view.ts';
import { CAUSES } from './causes.ts';
import { met, unmet } from './checks.ts';

const DAY_MS = 86_400_000;

/** The number of days for which another tool's writes are reported. After that, the tool may have its own user. */
const OTHER_TOOL_DAYS = 30;

/** Reports why values wait to be written. When the reason no longer applies, the next run writes the values. */
export async function checkValuesWaiting(
  { deps, integration, mappings }: OpenIntegration,
  connector: Connector,
): Promise<Finding[]> {
  const { store } = deps;
  const lines = mappings.filter(isProfileLine);
  const { reasons } = await readValuesWaiting(store.reader, integration.id, lines);
  if (reasons.length === 0) return [plain(met('values', 'No values are waiting to be written.'))];
  const { fields } = await readFields(connector, mappings);
  const waiting = await listWaitingValues(store.reader, integration.id);
  const isFreed = ({ field, code }: WaitingReason) =>
    waiting.some(
      (note) =>
        note.field === field &&
        note.code === (code ?? '') &&
        note.description !== fingerprintField(deps, fields, field),
    );
  return reasons.map((reason) => waitingFinding(reason, isFreed(reason)));
}

function waitingFinding(reason: WaitingReason, isFreed: boolean): Finding {
  const { field, cause, contacts, text } = reason;
  const subject = `values of ${field}`;
  const wait = `${describeCount(contacts, 'value')} ${contacts === 1 ? 'is' : 'are'} waiting to be written`;
  if (cause === 'no_profile') return met(subject, `${wait}: ${text}.`);
  if (isFreed) {
    return met(
      subject,
      `${wait}. The field has changed since then, so the next run tries the values again, at no cost.`,
    );
  }
  const [why = text, ...fix] = text.split(': ');
  const message = `${wait}: ${why}.`;
  const help = `${capitalised(fix.join(': '))}.`;
  // A rule in the CRM can be intentional, so the finding is not a problem. A currency field that accepts only one
  // currency can also be intentional.
  if (cause === 'refused' || cause === 'other_currency') return met(subject, message, help);
  return unmet(subject, message, help, CAUSE_OF[cause]);
}

const CAUSE_OF = {
  no_such_field: CAUSES.missing,
  no_permission: CAUSES.notWritable,
  does_not_fit: CAUSES.unfit,
  no_rate: CAUSES.noRate,
} as const;

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Finds automation in the CRM that changes values from donor-sync, and tools that use donor-sync's CRM user. */
export async function checkOthersInCrm({
  deps: { store, clock },
  integration,
}: OpenIntegration): Promise<Finding[]> {
  const fields = await listNormalisedFields(store.reader, integration.id);
  const noticedAt = await findOtherTool(store.reader, integration.id);
  const isRecent = noticedAt !== null && clock.now() - noticedAt < OTHER_TOOL_DAYS * DAY_MS;
  return [
    ...fields.map(({ field, noticedAt: since }) =>
      met(
        `field ${field}`,
        `Automation in the CRM, such as a flow or a workflow, changes ${field} after every write (noticed on ${formatTimestamp(since)}). donor-sync treats the changed value as its own.`,
        'If that is intended, there is nothing to do. Otherwise, exclude this field from the automation.',
      ),
    ),
    ...(isRecent
      ? [
          met(
            'CRM user',
            `Another tool writes to the CRM as donor-sync's user (last noticed on ${formatTimestamp(noticedAt)}). Its changes count as edits by a user and are not overwritten.`,
            'Give donor-sync its own user in the CRM.',
          ),
        ]
      : []),
  ];
}
