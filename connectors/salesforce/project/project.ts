import { ConfigurationError } from '../../../src/core/errors.ts';
import type { FieldsSource, MappedFieldSpec } from '../../contract.ts';
import { CUSTOM_NAME } from '../fields.ts';
import { FIELDS, type OwnSet, VIEWERS } from '../permissions.ts';
import type { SalesforceSettings } from '../settings.ts';
import { buildMetadata } from './field-metadata.ts';
import { listViews } from './list-views.ts';
import { type MetadataElements, metadataFile } from './metadata-file.ts';
import { profileSection, SECTION_LABEL } from './profile-section.ts';

/** The folder in which `sf` looks for source; each kind of metadata has a folder in it. */
const SOURCE = 'force-app/main/default';

/**
 * Returns the fields that `fields create` creates as a project for `sf project deploy start`. It contains the fields of
 * the field map with both permission sets, and in addition list views and a section for the record page.
 */
export function fieldsProject(
  { apiVersion }: Pick<SalesforceSettings, 'apiVersion'>,
  specs: readonly MappedFieldSpec[],
): FieldsSource {
  const fields = specs.flatMap((spec) => {
    const metadata = isOwnName(spec.name) ? buildMetadata(spec) : null;
    return metadata === null ? [] : [{ spec, metadata }];
  });
  const made = fields.map(({ spec }) => spec);
  if (made.length === 0) throw noFields();
  return {
    files: new Map([
      ['sfdx-project.json', projectFile(apiVersion)],
      ...within('objects/Contact/fields', '.field-meta.xml', [...fieldFiles(fields)]),
      ...within('objects/Contact/listViews', '.listView-meta.xml', listViewFiles(made)),
      ...within('permissionsets', '.permissionset-meta.xml', permissionSetFiles(made)),
      ...within('lwc', '', profileSection(apiVersion, made)),
    ]),
    leftOut: specs
      .filter((spec) => !made.includes(spec))
      .map(({ name }) => ({ name, problem: isOwnName(name) ? NO_TYPE : NOT_OURS })),
    next: NEXT,
  };
}

const NOT_OURS =
  'This is a standard Salesforce field, or it belongs to a package, so it should already exist in the org.';
const NO_TYPE = 'Its type needs options that donor-sync does not know: create it by hand.';

const NEXT = [
  'Sign in as an administrator: sf org login web --alias ORG',
  'See what would change: sf project deploy start --source-dir force-app --target-org ORG --dry-run',
  'Deploy: sf project deploy start --source-dir force-app --target-org ORG',
  `Let the integration write: sf org assign permset --name ${FIELDS.name} --target-org ORG --on-behalf-of USERNAME`,
  `Let yourself see the fields: sf org assign permset --name ${VIEWERS.name} --target-org ORG. Other users get access in Setup → Permission Sets → ${VIEWERS.label} → Manage Assignments`,
  `Put them on your page: Setup → Object Manager → Contact → Lightning Record Pages → your page → Edit; drag “${SECTION_LABEL}” to its place, then Save`,
];

/** Names with a prefix belong to a package, and only that package can create them. */
function isOwnName(name: string): boolean {
  return CUSTOM_NAME.test(name) && !name.slice(0, -'__c'.length).includes('__');
}

function noFields(): ConfigurationError {
  return new ConfigurationError(
    'The field map does not name a custom field that could be deployed: choose names that end in __c in the `fields` of the integration.',
    { code: 'fields_not_custom' },
  );
}

function projectFile(sourceApiVersion: string): string {
  const project = {
    packageDirectories: [{ path: 'force-app', default: true }],
    name: 'donor-sync',
    namespace: '',
    sourceApiVersion,
  };
  return `${JSON.stringify(project, null, 2)}\n`;
}

type NamedFile = readonly [name: string, text: string];

function within(folder: string, suffix: string, files: readonly NamedFile[]): [string, string][] {
  return files.map(([name, text]) => [`${SOURCE}/${folder}/${name}${suffix}`, text]);
}

function fieldFiles(
  fields: readonly { spec: MappedFieldSpec; metadata: MetadataElements }[],
): NamedFile[] {
  return fields.map(({ spec: { name }, metadata }) => [
    name,
    metadataFile('CustomField', { fullName: name, ...metadata }),
  ]);
}

function listViewFiles(fields: readonly MappedFieldSpec[]): NamedFile[] {
  return listViews(fields).map((view) => [view.fullName, metadataFile('ListView', { ...view })]);
}

function permissionSetFiles(fields: readonly MappedFieldSpec[]): NamedFile[] {
  return [FIELDS, VIEWERS].map((set) => [
    set.name,
    metadataFile('PermissionSet', permissionSet(set, fields)),
  ]);
}

/** The rights that `fields create` grants, in the terms of the Metadata API. */
function permissionSet(
  { label, description, access }: OwnSet,
  fields: readonly MappedFieldSpec[],
): MetadataElements {
  return {
    label,
    description,
    hasActivationRequired: false,
    fieldPermissions: fields
      .map(({ name }) => `Contact.${name}`)
      .toSorted()
      .map((field) => ({
        field,
        readable: access.PermissionsRead,
        editable: access.PermissionsEdit,
      })),
  };
}
