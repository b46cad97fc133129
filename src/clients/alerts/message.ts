import { guideAddress } from '../../core/guide-address.ts';
import { publicAddress } from '../../core/public-address.ts';
import type { AlertRecord } from '../statements/alerts.ts';
import { type Condition, documentAbout, pageAbout, recoveryText } from './conditions.ts';

/** A message in plain text, without personal data. */
export interface Message {
  /** One line. */
  title: string;
  text: string;
}

/** A change of state that is reported to people. */
export interface Change {
  row: Pick<AlertRecord, 'integrationId' | 'subject' | 'overAt'>;
  /** The problem, or null if it is over. */
  condition: Condition | null;
}

/** Builds one message for all changes at the same time, grouped by integration. */
export function composeMessage(changes: readonly Change[], publicUrl: string): Message {
  const byIntegration = Map.groupBy(changes, ({ row }) => row.integrationId);
  const parts = [...byIntegration].map(([id, members]) => {
    const lines = new Set(members.flatMap((change) => buildLines(change, publicUrl)));
    return [id, ...lines].join('\n');
  });
  return {
    title: buildTitle(changes, byIntegration.size),
    text: [...parts, `donor-sync at ${publicUrl}`].join('\n\n'),
  };
}

/** Returns the message that `alerts test` sends. */
export function testMessage(publicUrl: string): Message {
  return {
    title: 'donor-sync: a test',
    text: `donor-sync sends its alerts here. There is no problem.\n\ndonor-sync at ${publicUrl}`,
  };
}

function buildTitle(changes: readonly Change[], integrations: number): string {
  const [first] = changes;
  if (first === undefined) return 'donor-sync';
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : '';
  const where = integrations > 1 ? `${integrations} integrations` : first.row.integrationId;
  // A new problem is more urgent than the end of another.
  const worst = changes.find(({ condition }) => condition !== null) ?? first;
  return `donor-sync, ${where}: ${describeChange(worst)}${more}`;
}

function buildLines(change: Change, publicUrl: string): string[] {
  const { condition } = change;
  if (condition === null) return [`  resolved: ${describeChange(change)}`];
  const { subject, integrationId } = condition;
  const page = publicAddress(publicUrl, pageAbout(subject, integrationId));
  const guide = publicAddress(publicUrl, guideAddress(documentAbout(subject)));
  const steps = [`In the browser: ${page}`, ...condition.steps, `More: ${guide}`];
  return [`  ${describeChange(change)}`, ...steps.map((step) => `  → ${step}`)];
}

function describeChange({ row, condition }: Change): string {
  return condition?.problem ?? recoveryText(row.subject);
}

/** A channel for messages. */
export interface Channel {
  /** The channel's name in the settings. */
  name: 'email' | 'webhook';
  /**
   * Resolves once the message was accepted. Rejects with an Error that explains why it was not accepted, or that it was
   * cancelled by the signal.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
}
