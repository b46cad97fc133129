import { ConfigurationError } from '../../../src/core/errors.ts';
import type { FieldsSource, MappedFieldSpec } from '../../contract.ts';
import { CUSTOM_NAME } from '../fields.ts';
import { FIELDS, type OwnSet, VIEWERS } from '../permissions.ts';
import type { SalesforceSettings } from '../settings.ts';
import {
  ENHANCE_LABEL,
  ENHANCERS,
  enhanceAction,
  PERSON_ENHANCERS,
  personAccountAction,
  TOKEN_PARAMETER,
} from './enhance-action.ts';
import { buildMetadata } from './field-metadata.ts';
import { CONTACTS, type ListedObject, listViews, PERSON_ACCOUNTS } from './list-views.ts';
import { type MetadataElements, metadataFile } from './metadata-file.ts';
import { profileSection, SECTION_LABEL } from './profile-section.ts';
import { reportFiles, reportFolders } from './reports.ts';

/**
 * The folders of the Salesforce project. The fields are not part of a package. If an administrator uninstalls a
 * package, Salesforce deletes its fields with all paid values. The files for person accounts have their own folder,
 * because an org without person accounts refuses them.
 */
const FIELDS_FOLDER = 'force-app';
const APP_FOLDER = 'app';
const PERSON_ACCOUNTS_FOLDER = 'app-person-accounts';

const PACKAGE = 'donor-sync';
const PERSON_ACCOUNTS_PACKAGE = 'donor-sync person accounts';

/**
 * Returns the fields that `fields create` creates, as a project for `sf project deploy start`. The project contains the
 * fields of the field map and both permission sets. Separate folders contain the parts that display the fields. The
 * parts are a section for the record page, list views, a report type and a dashboard. If `url` is given, the project
 * also contains the button "Enhance now". `url` is the client's https address for Salesforce.
 */
export function fieldsProject(
  { apiVersion }: Pick<SalesforceSettings, 'apiVersion'>,
  specs: readonly MappedFieldSpec[],
  url: string | null = null,
): FieldsSource {
  const fields = specs.flatMap((spec) => {
    const metadata = isOwnName(spec.name) ? buildMetadata(spec) : null;
    return metadata === null ? [] : [{ spec, metadata }];
  });
  const made = fields.map(({ spec }) => spec);
  if (made.length === 0) throw noFields();
  const contactReports = reportFiles(made, {
    listed: CONTACTS,
    suffix: 'contacts',
    noun: 'Contacts',
  });
  return {
    files: new Map([
      ['sfdx-project.json', projectFile(apiVersion)],
      ...within(FIELDS_FOLDER, [
        ...fields.map(({ spec, metadata }) => fieldFile(spec, metadata)),
        ...permissionSetFiles(made),
      ]),
      ...within(APP_FOLDER, [
        ...profileSection(apiVersion, made).map(([name, text]): NamedFile => [`lwc/${name}`, text]),
        ...listViewFiles(made, CONTACTS),
        ...contactReports,
        ...(contactReports.length === 0 ? [] : reportFolders()),
        ...(url === null ? [] : enhanceAction(apiVersion, url)),
      ]),
      ...within(PERSON_ACCOUNTS_FOLDER, [
        ...listViewFiles(made, PERSON_ACCOUNTS),
        ...reportFiles(made, {
          listed: PERSON_ACCOUNTS,
          suffix: 'person_accounts',
          noun: 'Person accounts',
        }),
        ...(url === null ? [] : personAccountAction(apiVersion)),
      ]),
    ]),
    leftOut: specs
      .filter((spec) => !made.includes(spec))
      .map(({ name }) => ({ name, problem: isOwnName(name) ? NO_TYPE : NOT_OURS })),
    next: url === null ? NEXT : [...NEXT, ...NEXT_FOR_BUTTON],
  };
}

const NOT_OURS =
  'This is a standard Salesforce field, or it belongs to a package, so it should already exist in the org.';
const NO_TYPE = 'Its type needs options that donor-sync does not know: create it by hand.';

const DEPLOY = `sf project deploy start --source-dir ${FIELDS_FOLDER} --source-dir ${APP_FOLDER} --target-org ORG`;

const NEXT = [
  'Sign in as an administrator: sf org login web --alias ORG',
  `See what would change: ${DEPLOY} --dry-run`,
  `Deploy: ${DEPLOY}. In an org with person accounts, deploy ${PERSON_ACCOUNTS_FOLDER} after it`,
  `Let the integration write: sf org assign permset --name ${FIELDS.name} --target-org ORG --on-behalf-of USERNAME`,
  `Let yourself see the fields: sf org assign permset --name ${VIEWERS.name} --target-org ORG. Other users get access in Setup → Permission Sets → ${VIEWERS.label} → Manage Assignments`,
  `Put them on your page: Setup → Object Manager → Contact → Lightning Record Pages → your page → Edit; drag “${SECTION_LABEL}” to its place, then Save`,
];

const NEXT_FOR_BUTTON = [
  `Create a door token for this client (donor-sync tokens create-door CLIENT --name Salesforce), and enter it: Setup → Named Credentials → External Credentials → donor-sync → Principals → client → Edit; add the parameter “${TOKEN_PARAMETER}”`,
  `Let yourself enhance contacts: sf org assign permset --name ${ENHANCERS.name} --target-org ORG. Other users get access in Setup → Permission Sets → ${ENHANCERS.label}. In an org with person accounts, assign ${PERSON_ENHANCERS.name} as well`,
  `Put the button on your page: Setup → Object Manager → Contact → Page Layouts → your layout → Mobile & Lightning Actions; drag “${ENHANCE_LABEL}” to its place, then Save`,
];

/**
 * Returns true if donor-sync can create a field with this name. Names with a prefix belong to a package, and only the
 * package can create them.
 */
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
  const version = { versionName: '1.0', versionNumber: '1.0.0.NEXT' };
  const project = {
    packageDirectories: [
      { path: FIELDS_FOLDER, default: true },
      { path: APP_FOLDER, package: PACKAGE, ...version },
      {
        path: PERSON_ACCOUNTS_FOLDER,
        package: PERSON_ACCOUNTS_PACKAGE,
        ...version,
        dependencies: [{ package: PACKAGE, versionNumber: '1.0.0.LATEST' }],
      },
    ],
    name: 'donor-sync',
    namespace: '',
    sourceApiVersion,
  };
  return `${JSON.stringify(project, null, 2)}\n`;
}

type NamedFile = readonly [path: string, text: string];

function within(folder: string, files: readonly NamedFile[]): [string, string][] {
  return files.map(([path, text]) => [`${folder}/main/default/${path}`, text]);
}

function fieldFile({ name }: MappedFieldSpec, metadata: MetadataElements): NamedFile {
  return [
    `objects/Contact/fields/${name}.field-meta.xml`,
    metadataFile('CustomField', { fullName: name, ...metadata }),
  ];
}

function listViewFiles(fields: readonly MappedFieldSpec[], listed: ListedObject): NamedFile[] {
  return listViews(fields, listed).map((view) => [
    `objects/${listed.object}/listViews/${view.fullName}.listView-meta.xml`,
    metadataFile('ListView', { ...view }),
  ]);
}

function permissionSetFiles(fields: readonly MappedFieldSpec[]): NamedFile[] {
  return [FIELDS, VIEWERS].map((set) => [
    `permissionsets/${set.name}.permissionset-meta.xml`,
    metadataFile('PermissionSet', permissionSet(set, fields)),
  ]);
}

/** Returns the permissions that `fields create` grants, with the names that the Metadata API uses. */
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
