/** Finds the fields to which donor-sync can write, in the CRM's own description. */
import type { Connector, FieldCreation, MappedFieldSpec } from '../../connectors/contract.ts';
import { type CrmField, type FieldSpec, plainField } from '../core/crm-field.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type FieldMapping, SYNC_SOURCES } from '../core/field-map.ts';
import type { IdentityShape } from '../core/identity-shape.ts';
import type { Integration } from '../core/integration-settings.ts';
import { checkFieldMap, type FieldMapFinding } from '../mapping/check-field-map.ts';
import { fieldSpecFor } from '../mapping/field-specs.ts';

export interface FieldsInForce {
  /** The CRM's description of the mapped fields. */
  fields: CrmField[];
  described: ReadonlySet<string>;
  findings: FieldMapFinding[];
  /** Problems that affect only the contact's status. All other fields work. */
  optional: FieldMapFinding[];
  /**
   * The missing fields. In a file, a run adds missing columns automatically. On a CRM server, a user has to create the
   * fields.
   */
  toCreate: FieldSpec[];
}

type FieldsDeps = Pick<Connector, 'describeFields' | 'capabilities' | 'identity'>;

/** Reads the CRM's description of its fields. Changes nothing. */
export async function readFields(
  connector: FieldsDeps,
  mappings: readonly FieldMapping[],
): Promise<FieldsInForce> {
  const described = withReadParts(await connector.describeFields(), connector.identity?.());
  const known = new Set(described.map(({ name }) => name));
  const { createsFields, remote } = connector.capabilities;
  const missing = mappings.filter(({ to }) => !known.has(to));
  const toCreate =
    createsFields && !remote ? missing.map(({ from, to }) => fieldSpecFor(from, to)) : [];
  const all = [
    ...described,
    ...toCreate.map(({ name, label }) => ({ ...plainField(name), label })),
  ];
  const mapped = new Set(mappings.map(({ to }) => to));
  return {
    fields: all.filter(({ name }) => mapped.has(name)),
    described: new Set(all.map(({ name }) => name)),
    ...sorted(checkFieldMap(mappings, all)),
    toCreate,
  };
}

/** Marks the fields that identify contacts. */
function withReadParts(fields: readonly CrmField[], shape: IdentityShape | undefined): CrmField[] {
  const parts = new Map<string, CrmField['readAs']>([
    ...(shape?.names ?? []).map((name) => [name, 'name'] as const),
    ...(shape?.sources ?? []).map(({ name, part }) => [name, PARTS[part]] as const),
  ]);
  return fields.map((field) => {
    const readAs = parts.get(field.name);
    return readAs === undefined ? field : { ...field, readAs };
  });
}

const PARTS = { addresses: 'address', employers: 'employer' } as const;

/**
 * Separates the problems that stop the run from other problems. If a status cannot be written, other fields are still
 * written, unless the status's field is mapped twice.
 */
function sorted(found: readonly FieldMapFinding[]): Pick<FieldsInForce, 'findings' | 'optional'> {
  const isOptional = ({ from, problem }: FieldMapFinding) =>
    SYNC_SOURCES.includes(from) && problem !== 'duplicate';
  return {
    findings: found.filter((finding) => !isOptional(finding)),
    optional: found.filter(isOptional),
  };
}

/** Creates missing fields and gives users access to them. Can be repeated. */
export async function createMissingFields(
  connector: FieldsDeps & Pick<Connector, 'createFields'>,
  mappings: readonly FieldMapping[],
): Promise<FieldCreation[]> {
  const described = new Set((await connector.describeFields()).map(({ name }) => name));
  const missing = mappings.filter(({ to }) => !described.has(to));
  if (missing.length === 0) return [];
  return connector.createFields(missing.map(({ from, to }) => fieldSpecFor(from, to)));
}

export function toFieldSpecs(mappings: readonly FieldMapping[]): MappedFieldSpec[] {
  return mappings.map(({ from, to }) => ({ ...fieldSpecFor(from, to), from }));
}

/** Throws an error if there is no field to write to, because a run must then spend no credits. */
export function requireUsableField(
  integration: Integration,
  mappings: readonly FieldMapping[],
  findings: readonly FieldMapFinding[],
): void {
  const unusable = new Set(findings.map(({ field }) => field));
  const profile = mappings.filter(({ from }) => !SYNC_SOURCES.includes(from));
  if (profile.some(({ to }) => !unusable.has(to))) return;
  const fixes = findings.map(({ message, fix }) => `${message} ${fix}`).join(' ');
  throw new ConfigurationError(
    `None of the mapped fields of "${integration.id}" can be written, so no credit is spent. ${fixes}`,
    { code: 'fields_unusable', details: { findings } },
  );
}
