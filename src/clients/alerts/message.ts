import { guideAddress } from '../../core/guide-address.ts';
import { publicAddress } from '../../core/public-address.ts';
import type { AlertRecord } from '../statements/alerts.ts';
import { type Condition, documentAbout, pageAbout, recoveryText } from './conditions.ts';

/** A message in plain text, without personal data. */
export interface Message {
  /** The title, which is one line. */
  title: string;
  text: string;
}

/** A change that users are told about. */
export interface Change {
  row: Pick<AlertRecord, 'integrationId' | 'subject' | 'overAt'>;
  /** The problem, or null if it has ended. */
  condition: Condition | null;
}

/**
 * Builds one message for all changes in the list, grouped by integration. If the server's address is unknown, the
 * message has no links.
 */
export function composeMessage(changes: readonly Change[], publicUrl: string | null): Message {
  const byIntegration = Map.groupBy(changes, ({ row }) => row.integrationId);
  const parts = [...byIntegration].map(([id, members]) => {
    const lines = new Set(members.flatMap((change) => buildLines(change, publicUrl)));
    return [id, ...lines].join('\n');
  });
  return {
    title: buildTitle(changes, byIntegration.size),
    text: [...parts, describeSender(publicUrl)].join('\n\n'),
  };
}

/** Returns the message that `alerts test` sends. */
export function testMessage(publicUrl: string | null): Message {
  return {
    title: 'donor-sync: a test',
    text: `donor-sync sends its alerts here. There is no problem.\n\n${describeSender(publicUrl)}`,
  };
}

/** Builds the last line of a message. If the server's address is unknown, the line names the missing setting. */
export function describeSender(publicUrl: string | null): string {
  if (publicUrl !== null) return `donor-sync at ${publicUrl}`;
  return "donor-sync. The command that sent this message does not know the server's address, so the message has no links. For links, set the address under Users, Address, or as server.publicUrl in the settings.";
}

function buildTitle(changes: readonly Change[], integrations: number): string {
  const [first] = changes;
  if (first === undefined) return 'donor-sync';
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : '';
  const where = integrations > 1 ? `${integrations} integrations` : first.row.integrationId;
  // A new problem is more urgent than the end of another problem.
  const worst = changes.find(({ condition }) => condition !== null) ?? first;
  return `donor-sync, ${where}: ${describeChange(worst)}${more}`;
}

function buildLines(change: Change, publicUrl: string | null): string[] {
  const { condition } = change;
  if (condition === null) return [`  resolved: ${describeChange(change)}`];
  const { subject, integrationId } = condition;
  const link = (label: string, path: string) =>
    publicUrl === null ? [] : [`${label}: ${publicAddress(publicUrl, path)}`];
  const steps = [
    ...link('In the browser', pageAbout(subject, integrationId)),
    ...condition.steps,
    ...link('More', guideAddress(documentAbout(subject))),
  ];
  return [`  ${describeChange(change)}`, ...steps.map((step) => `  → ${step}`)];
}

function describeChange({ row, condition }: Change): string {
  return condition?.problem ?? recoveryText(row.subject);
}

export interface Channel {
  /** The channel's name in the settings. */
  name: 'email' | 'webhook';
  /**
   * Resolves once the channel has accepted the message. If the channel does not accept the message, rejects with an
   * Error that explains the failure or the cancellation.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
}
