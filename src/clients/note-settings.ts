import type { Integration } from '../core/integration-settings.ts';
import type { AuditRecord } from '../privacy/audit/read-audit.ts';
import { listLastEntries } from '../privacy/audit/read-audit.ts';
import type { NewAuditEntry } from '../privacy/audit/record.ts';
import { noteEntries } from '../privacy/audit/record.ts';
import type { Store } from '../store.ts';

/**
 * The prefix of an entry's details. Each detail with this prefix is the fingerprint of one part of the settings. A
 * fingerprint does not reveal the settings' values.
 */
const PART = 'part.';

/**
 * Records in the audit which parts of the settings have changed. Records only the names of the parts, never their
 * values. If a new version of donor-sync adds a setting, this counts as a change.
 */
export async function recordSettings(
  store: Store,
  integrations: Iterable<Integration>,
): Promise<void> {
  const last = new Map(
    (await listLastEntries(store, 'settings.changed')).map((entry) => [entry.integrationId, entry]),
  );
  const entries: NewAuditEntry[] = [];
  for (const integration of integrations) {
    const parts = new Map(
      Object.entries(integration).map(([name, value]) => [
        name,
        store.fingerprint('audit_settings', JSON.stringify([name, value])),
      ]),
    );
    const before = readParts(last.get(integration.id));
    const names = new Set([...parts.keys(), ...before.keys()]);
    const changed = [...names].filter((name) => parts.get(name) !== before.get(name));
    if (changed.length === 0) continue;
    const noted = [...parts].map(([name, value]) => [`${PART}${name}`, value]);
    entries.push({
      action: 'settings.changed',
      integrationId: integration.id,
      details: {
        changed: before.size === 0 ? 'first seen' : changed.join(' '),
        ...Object.fromEntries(noted),
      },
    });
  }
  await noteEntries(store.act, entries);
}

function readParts(entry: AuditRecord | undefined): Map<string, unknown> {
  return new Map(
    Object.entries(entry?.details ?? {}).flatMap(([name, value]) =>
      name.startsWith(PART) ? [[name.slice(PART.length), value] as const] : [],
    ),
  );
}
