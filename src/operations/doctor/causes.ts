/** Counts the causes of findings, and adds the command that fixes each. */
import { z } from 'zod';
import type { Finding } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';

/** The result of one check. With `ok: true`, `fix` is only advice. */
export interface DoctorFinding extends Finding {
  /** Null if it is about the whole installation. */
  integration: string | null;
  /** Null if a user must follow `fix`. */
  command: string | null;
}

/** Causes of the doctor itself. Others are error codes or come from connectors. */
export const CAUSES = {
  missing: 'fields_missing',
  notWritable: 'fields_not_writable',
  unfit: 'fields_unfit',
  noRate: 'currency_rate_missing',
  unseen: 'fields_unseen',
  keyFile: 'key_file_open',
  noSettings: 'settings_not_found',
  holds: 'holds_open',
  unreadable: 'settings_unreadable',
} as const;

/** Adds a helpful command to each finding. */
export function withCommands(
  findings: readonly Finding[],
  integration: Pick<Integration, 'id' | 'crm'> | null,
): DoctorFinding[] {
  const id = integration?.id ?? null;
  return findings.map((finding) => ({
    integration: id,
    ...finding,
    command: commandFor(finding, integration),
  }));
}

/** Null if no command helps. */
function commandFor(
  { cause, fix }: Finding,
  integration: Pick<Integration, 'id' | 'crm'> | null,
): string | null {
  if (cause === CAUSES.holds || cause === CAUSES.keyFile || cause === CAUSES.noSettings) return fix;
  if (integration === null) return null;
  const { id, crm } = integration;
  switch (cause) {
    case CAUSES.missing:
      return `donor-sync fields create ${id}`;
    case CAUSES.unseen:
      return `donor-sync fields create ${id} --assign-viewers "System Administrator"`;
    case CAUSES.unfit:
      return `donor-sync fields check ${id}`;
    case 'crm_scope_missing':
    case 'crm_unauthorized':
      return signsInByConsent(crm) ? `donor-sync connect ${id}` : null;
    default:
      return null;
  }
}

const consentSchema = z.object({
  auth: z.object({ type: z.literal('oauth'), refreshToken: z.undefined().optional() }),
});

function signsInByConsent(crm: Integration['crm']): boolean {
  return consentSchema.safeParse(crm).success;
}

/** Counts the problems. Findings with the same fix count once. */
export function countCauses(findings: readonly DoctorFinding[]): number {
  const broken = findings.filter(({ ok }) => !ok);
  const deeds = broken.map(({ integration, command, cause = null, fix }) =>
    JSON.stringify([integration, command ?? [cause, fix]]),
  );
  return new Set(deeds).size;
}

/** Returns a finding, as shown in JSON output. */
export function shownFinding(finding: DoctorFinding) {
  const { integration, subject, ok, message, fix, command, cause = null } = finding;
  return { integration, subject, ok, message, fix, command, cause };
}
