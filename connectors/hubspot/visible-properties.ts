import { ConfigurationError } from '../../src/core/errors.ts';
import type { Properties } from './describe.ts';
import type { HubspotRecord } from './record.ts';

/** Which of the wanted properties the token may see; fewer when some are hidden during a run. */
export interface VisibleProperties {
  has(name: string): boolean;
  /** Looks whether what these records lack is blank or hidden. Throws a ConfigurationError. */
  check(records: readonly HubspotRecord[]): Promise<void>;
}

export interface VisibleOptions {
  wanted: readonly string[];
  /** Those without which nothing goes on. */
  needed: readonly string[];
  /** Reads the description of the properties anew. */
  describe(): Promise<Properties>;
}

/**
 * An answer of HubSpot has null for a blank property and leaves out one that it does not show. An
 * answer that lacks one is believed only after a look at the description: should HubSpot leave out
 * blank ones as well, nothing is lost but that look.
 */
export function watchProperties(
  described: Properties,
  { wanted, needed, describe }: VisibleOptions,
): VisibleProperties {
  requireAll(needed.filter((name) => !described.has(name)));
  const visible = new Set(wanted.filter((name) => described.has(name)));
  let leavesOutBlank = false;

  return {
    has: (name) => visible.has(name),
    async check(records) {
      if (leavesOutBlank) return;
      const lacking = [...visible].filter((name) =>
        records.some(({ properties }) => properties[name] === undefined),
      );
      if (lacking.length === 0) return;
      const present = await describe();
      const hidden = lacking.filter((name) => !present.has(name));
      requireAll(hidden.filter((name) => needed.includes(name)));
      leavesOutBlank = hidden.length === 0;
      for (const name of hidden) visible.delete(name);
    },
  };
}

function requireAll(missing: readonly string[]): void {
  if (missing.length === 0) return;
  const message = `HubSpot does not show the contact properties ${missing.join(' and ')}, without which it is unknown who is to be asked about: let the token read them.`;
  throw new ConfigurationError(message, {
    code: 'crm_field_missing',
    details: { fields: missing },
  });
}
