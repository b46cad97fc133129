import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiSchemas } from 'jsforce/lib/api/metadata/schema.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MappedFieldSpec } from '../../../connectors/contract.ts';
import { salesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { EXAMPLE_URL } from '../../../connectors/salesforce/project/enhance-action.ts';
import { getPropertyName } from '../../../connectors/salesforce/project/profile-section.ts';
import { fieldsProject } from '../../../connectors/salesforce/project/project.ts';
import { DEFAULT_API_VERSION } from '../../../connectors/salesforce/settings.ts';
import { CRM_FIELD_TYPES, type CrmFieldType } from '../../../src/core/crm-field.ts';
import { toFieldSpecs } from '../../../src/fields/describe.ts';
import { checkFieldMap } from '../../../src/mapping/check-field-map.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { type Element, parseMetadata, textsOf } from './metadata-xml.ts';
import { openOrg } from './org.ts';

const FOLDER = join(import.meta.dirname, '../../../deploy/salesforce');
const CONTACT = 'force-app/main/default/objects/Contact';
const SETS = 'force-app/main/default/permissionsets';
const SECTION = 'app/main/default/lwc/donorSyncProfile/donorSyncProfile';

const MAP = salesforceConnector.defaultFields;
const { files, leftOut } = projectOf(toFieldSpecs(MAP));

const open = closedAfterTest(openOrg);

function projectOf(specs: readonly MappedFieldSpec[]) {
  return fieldsProject({ apiVersion: DEFAULT_API_VERSION }, specs, EXAMPLE_URL);
}

function aSpec(spec: Partial<MappedFieldSpec>): MappedFieldSpec {
  return {
    ...{ from: 'bio', name: 'A__c', label: 'A', type: 'text', description: 'A test.' },
    ...spec,
  };
}

function metadataIn(project: ReadonlyMap<string, string>): { path: string; root: Element }[] {
  return [...project]
    .filter(([path]) => path.endsWith('-meta.xml'))
    .map(([path, text]) => ({ path, root: parseMetadata(text) }));
}

function read(path: string): Element {
  return parseMetadata(files.get(path) ?? '');
}

describe('deploy/salesforce', () => {
  it('is what the default field map says: else run `node scripts/write-salesforce-source.ts`', () => {
    const committed = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(FOLDER.length + 1), readFileSync(path, 'utf8')] as const);
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(files));
  });

  it('has every field of the map, a file each, and leaves none out', () => {
    expect(leftOut).toEqual([]);
    for (const { to } of MAP) {
      const field = read(`${CONTACT}/fields/${to}.field-meta.xml`);
      expect(textsOf(field, 'fullName')).toEqual([to]);
    }
  });
});

/** The Metadata API guide requires these elements for each type of field, in addition to label and type. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  Text: ['length'],
  LongTextArea: ['length', 'visibleLines'],
  Url: [],
  Number: ['precision', 'scale'],
  Currency: ['precision', 'scale'],
  Percent: ['precision', 'scale'],
  Checkbox: ['defaultValue'],
  Date: [],
  DateTime: [],
};

const COMMON = ['fullName', 'description', 'inlineHelpText', 'label', 'type'];

/**
 * Describes an element of a WSDL type. `?` means that the element may be missing. A list means that the element may be
 * repeated.
 */
type Props = Readonly<Record<string, string | readonly string[] | object>>;

const propsSchema = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/**
 * Types and elements that are missing from jsforce's copy of the WSDL. They are copied from the Metadata API guide for
 * version 67. They cover External Services and credentials since version 56. They also cover later additions to screen
 * flows and permission sets.
 */
const NEWER: Readonly<Record<string, Props>> = {
  ExternalCredential: {
    authenticationProtocol: 'string',
    description: '?string',
    externalCredentialParameters: ['ExternalCredentialParameter'],
    label: 'string',
  },
  ExternalCredentialParameter: {
    parameterGroup: '?string',
    parameterName: 'string',
    parameterType: 'string',
    parameterValue: '?string',
    sequenceNumber: '?number',
  },
  NamedCredential: {
    allowMergeFieldsInBody: '?boolean',
    allowMergeFieldsInHeader: '?boolean',
    calloutStatus: '?string',
    generateAuthorizationHeader: '?boolean',
    label: 'string',
    namedCredentialParameters: ['NamedCredentialParameter'],
    namedCredentialType: '?string',
  },
  NamedCredentialParameter: {
    externalCredential: '?string',
    parameterName: 'string',
    parameterType: 'string',
    parameterValue: '?string',
  },
  ExternalServiceOperation: { active: 'boolean', name: 'string' },
  ExternalCredentialPrincipalAccess: {
    enabled: 'boolean',
    externalCredentialPrincipal: 'string',
  },
  FolderShares: { accessLevel: 'string', sharedTo: 'string', sharedToType: 'string' },
  Folder: { folderShares: ['FolderShares'], name: 'string' },
  LightningTargets: { targetConfig: ['LightningTargetConfig'] },
  LightningTargetConfig: { objects: '?LightningObjects', property: ['LightningProperty'] },
  LightningObjects: { object: ['string'] },
  LightningProperty: {},
};

/** Elements that were added to existing types. */
const GAINED: Readonly<Record<string, Props>> = {
  Flow: { apiVersion: '?number', environments: ['string'] },
  FlowActionCall: { storeOutputAutomatically: '?boolean' },
  FlowScreen: { nextOrFinishButtonLabel: '?string' },
  FlowRecordLookup: { filterLogic: '?string' },
  ExternalServiceRegistration: {
    namedCredentialReference: '?string',
    operations: ['ExternalServiceOperation'],
    registrationProviderType: '?string',
    serviceBinding: '?string',
    systemVersion: '?number',
  },
  PermissionSet: { externalCredentialPrincipalAccesses: ['ExternalCredentialPrincipalAccess'] },
  LightningComponentBundle: { targetConfigs: '?LightningTargets' },
};

const schemaSchema = z.record(
  z.string(),
  z.object({ props: z.record(z.string(), z.unknown()), extends: z.string().optional() }),
);
const WSDL = schemaSchema.parse(ApiSchemas);

/** Returns the elements of a type, including inherited elements. */
function elementsOf(type: string): Props | undefined {
  const newer = NEWER[type];
  if (newer !== undefined) return newer;
  const defined = WSDL[type];
  if (defined === undefined) return undefined;
  const inherited = defined.extends === undefined ? {} : elementsOf(defined.extends);
  return propsSchema.parse({ ...inherited, ...defined.props, ...GAINED[type] });
}

const MAKEABLE = CRM_FIELD_TYPES.filter((type) => !/picklist/i.test(type));

describe('the source of fields', () => {
  it('has no element that the WSDL of the Metadata API does not have, and all that it asks for', () => {
    const everything = [...metadataIn(files), ...metadataIn(projectOf(ofEveryType()).files)];
    expect(everything.length).toBeGreaterThan(30);
    for (const { path, root } of everything) {
      expect(root.attributes, path).toBe(' xmlns="http://soap.sforce.com/2006/04/metadata"');
      expect({ path, problems: problemsOf(root, root.name) }).toEqual({ path, problems: [] });
    }
  });

  it('has elements in the order in which they are retrieved, so that nothing looks changed', () => {
    for (const { path, root } of metadataIn(files)) {
      const [first, ...others] = root.children.map(({ name }) => name);
      const names = first === 'fullName' ? others : [first, ...others];
      expect({ path, names }).toEqual({ path, names: names.toSorted() });
    }
  });

  it.each(MAKEABLE)('has of a field for %s what its type asks for, and no more', (type) => {
    const [field] = metadataIn(projectOf([aSpec({ type })]).files);
    if (field === undefined) throw new Error('no field');
    const [made = ''] = textsOf(field.root, 'type');
    const names = field.root.children.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...COMMON, ...(ASKED[made] ?? ['unknown'])].toSorted());
  });

  it('keeps within the lengths and digits that Salesforce takes', () => {
    for (const { root } of metadataIn(projectOf(ofEveryType()).files)) {
      if (root.name !== 'CustomField') continue;
      const [type] = textsOf(root, 'type');
      const [length = type === 'LongTextArea' ? 256 : 1] = textsOf(root, 'length').map(Number);
      const [precision = 0] = textsOf(root, 'precision').map(Number);
      expect(precision).toBeLessThanOrEqual(18);
      expect(length).toBeGreaterThanOrEqual(type === 'LongTextArea' ? 256 : 1);
      expect(length).toBeLessThanOrEqual(type === 'LongTextArea' ? 131_072 : 255);
    }
    for (const { root } of metadataIn(files)) {
      for (const label of textsOf(root, 'label')) expect(label.length).toBeLessThanOrEqual(40);
      for (const help of textsOf(root, 'inlineHelpText')) expect(help.length).toBeLessThan(511);
    }
  });

  it('makes the same as `fields create`: fields, names of permission sets, rights', async () => {
    const [created, deployed] = [await open(), await open()];
    const connector = await created.connector();
    await connector.createFields(toFieldSpecs(MAP));
    await connector.showFields?.(
      MAP.map(({ to }) => to),
      null,
    );
    await deploy(deployed);

    expect(await setsIn(deployed)).toEqual(await setsIn(created));
    const after = await deployed.connector();
    const names = new Set(MAP.map(({ to }) => to));
    const ours = async (from: typeof after) =>
      (await from.describeFields()).filter(({ name }) => names.has(name));
    expect(await ours(after)).toEqual(await ours(await created.connector()));
    expect(checkFieldMap(MAP, await after.describeFields())).toEqual([]);
    const again = await after.createFields(toFieldSpecs(MAP));
    expect(again.every(({ result }) => result === 'existed')).toBe(true);
  });

  it('lists contacts by fields that there are, and shows each field in the section once', () => {
    const fields = MAP.map(({ to }) => to);
    for (const { path, root } of metadataIn(files)) {
      if (root.name !== 'ListView') continue;
      const isPerson = path.includes('objects/Account');
      const shown = fields.map((name) => (isPerson ? name.replace(/__c$/, '__pc') : name));
      const filtered = root.children.filter(({ name }) => name === 'filters');
      const named = [
        ...textsOf(root, 'columns'),
        ...filtered.flatMap((one) => textsOf(one, 'field')),
      ];
      expect(named.filter((name) => !shown.includes(name))).toEqual([
        isPerson ? 'ACCOUNT.NAME' : 'FULL_NAME',
      ]);
    }
    const properties = read(`${SECTION}.js-meta.xml`)
      .children.flatMap((child) => child.children)
      .flatMap((config) => config.children)
      .filter(({ name }) => name === 'property');
    expect(properties.map(({ attributes }) => /default="(\w+)"/.exec(attributes)?.[1])).toEqual(
      fields,
    );
    const script = files.get(`${SECTION}.js`) ?? '';
    for (const { from, to } of MAP) {
      expect(script).toContain(`@api ${getPropertyName(from)} = "${to}";`);
    }
  });

  it('has no list, report or folder for what is not mapped', () => {
    const { files: few } = projectOf([aSpec({ from: 'age', type: 'integer' })]);
    const about = /listViews|reports|reportTypes|dashboards/;
    expect([...few.keys()].filter((path) => about.test(path))).toEqual([]);
  });

  it('leaves out what Salesforce or a package brings, and says so', () => {
    const names = ['Description', 'npsp__Rating__c', 'Ours__c'];
    const project = projectOf(names.map((name) => aSpec({ name })));
    expect(project.leftOut.map(({ name }) => name)).toEqual(['Description', 'npsp__Rating__c']);
    const text = [...project.files.values()].join();
    expect(text).toContain('Contact.Ours__c');
    expect(text).not.toMatch(/npsp|Contact\.Description/);
  });

  it('packages what shows the fields, and never the fields, whose values uninstalling would delete', () => {
    const { packageDirectories } = projectSchema.parse(
      JSON.parse(files.get('sfdx-project.json') ?? ''),
    );
    const packaged = packageDirectories.filter((directory) => directory.package !== undefined);
    expect(packaged.map(({ path }) => path)).toEqual(['app', 'app-person-accounts']);
    const inPackages = metadataIn(files).filter(({ path }) =>
      packaged.some((directory) => path.startsWith(`${directory.path}/`)),
    );
    expect(new Set(inPackages.map(({ root }) => root.name))).toEqual(PACKAGED_TYPES);
    expect([...files.keys()].filter((path) => /classes|triggers/.test(path))).toEqual([]);
  });

  it('keeps person accounts apart, because an org without them refuses their names', () => {
    const ofPersons = [...files].filter(
      ([path, text]) =>
        path.endsWith('-meta.xml') && /__pc|PersonContactId|IsPersonAccount/.test(text),
    );
    expect(ofPersons.length).toBeGreaterThan(3);
    for (const [path] of ofPersons) expect(path).toMatch(/^app-person-accounts\//);
  });

  it('has no button without an address, and the address of the client with one', () => {
    const specs = toFieldSpecs(MAP);
    const { files: without } = fieldsProject({ apiVersion: DEFAULT_API_VERSION }, specs);
    expect(
      [...without.keys()].filter((path) => /flows|quickActions|Credential/.test(path)),
    ).toEqual([]);
    const credential = read(
      'app/main/default/namedCredentials/donor_sync.namedCredential-meta.xml',
    );
    const parameters = credential.children.filter(
      ({ name }) => name === 'namedCredentialParameters',
    );
    expect(parameters.flatMap((parameter) => textsOf(parameter, 'parameterValue'))).toEqual([
      EXAMPLE_URL,
    ]);
  });

  it('is not made of a map without a field of one’s own', () => {
    expect(() => projectOf([aSpec({ name: 'Description' })])).toThrow(/not name a custom field/);
  });

  it('escapes what XML would take for its own', () => {
    const description = `Giving & "wealth" of <donor>'s`;
    const [field] = metadataIn(projectOf([aSpec({ description })]).files);
    expect(field && textsOf(field.root, 'description')).toEqual([description]);
  });
});

/** The package contains these types. It contains neither custom fields nor Apex. */
const PACKAGED_TYPES = new Set([
  'Dashboard',
  'DashboardFolder',
  'ExternalCredential',
  'ExternalServiceRegistration',
  'Flow',
  'LightningComponentBundle',
  'ListView',
  'NamedCredential',
  'PermissionSet',
  'QuickAction',
  'Report',
  'ReportFolder',
  'ReportType',
]);

const projectSchema = z.object({
  packageDirectories: z.array(z.object({ path: z.string(), package: z.string().optional() })),
});

function ofEveryType(): MappedFieldSpec[] {
  const lengths = [1, 255, 256, 1_000_000];
  return [
    ...MAKEABLE.map((type: CrmFieldType) => aSpec({ type, name: `Of_${type}__c` })),
    ...lengths.map((maxLength) => aSpec({ maxLength, name: `Of_${maxLength}__c` })),
  ];
}

/** Returns the differences between an element and its WSDL type. */
function problemsOf({ name, children }: Element, type: string): string[] {
  const props = elementsOf(type);
  if (props === undefined) return [`${type} is not known`];
  const known: Props = { fullName: '?string', ...props };
  const missing = Object.entries(known).flatMap(([prop, kind]) => {
    const isAsked = typeof kind === 'string' && !kind.startsWith('?');
    return isAsked && !children.some((child) => child.name === prop)
      ? [`${name} lacks ${prop}`]
      : [];
  });
  const wrong = children.flatMap((child) => {
    const kind = known[child.name];
    if (kind === undefined) return [`${name} has no ${child.name}`];
    const [item] = [kind].flat();
    const count = children.filter((other) => other.name === child.name).length;
    if (count > 1 && !Array.isArray(kind)) return [`${child.name} is there ${count} times`];
    const inner = String(item).replace('?', '');
    if (/^(string|boolean|number)$/.test(inner)) return [];
    return problemsOf(child, inner);
  });
  return [...missing, ...wrong];
}

const NUMBERS = new Set(['length', 'precision', 'scale', 'visibleLines']);

type Org = Awaited<ReturnType<typeof openOrg>>;

/**
 * Creates the state after an administrator's deployment. Everything in the files exists, and the permission set is
 * assigned.
 */
async function deploy({ ask, create, sandbox }: Org): Promise<void> {
  for (const { root } of metadataIn(files).filter(({ root: { name } }) => name === 'CustomField')) {
    const metadata = root.children
      .filter(({ name }) => name !== 'fullName')
      .map(({ name, text }) => [name, NUMBERS.has(name) ? Number(text) : text]);
    const [name] = textsOf(root, 'fullName');
    const body = { FullName: `Contact.${name}`, Metadata: Object.fromEntries(metadata) };
    await ask('POST', '/tooling/sobjects/CustomField', body);
  }
  const sets = ['donor_sync_fields', 'donor_sync_viewers'];
  for (const name of sets) {
    const set = read(`${SETS}/${name}.permissionset-meta.xml`);
    const [Label, Description] = [textsOf(set, 'label')[0], textsOf(set, 'description')[0]];
    const [ParentId = ''] = await create('PermissionSet', [{ Name: name, Label, Description }]);
    const rights = set.children.filter((child) => child.name === 'fieldPermissions');
    await create(
      'FieldPermissions',
      rights.map((right) => ({
        ...{ ParentId, SobjectType: 'Contact', Field: textsOf(right, 'field')[0] },
        PermissionsRead: textsOf(right, 'readable')[0] === 'true',
        PermissionsEdit: textsOf(right, 'editable')[0] === 'true',
      })),
    );
    if (name !== 'donor_sync_fields') continue;
    const [user] = await rowsOf(ask, `SELECT Id FROM User WHERE Username = '${sandbox.username}'`);
    await create('PermissionSetAssignment', [
      { PermissionSetId: ParentId, AssigneeId: user?.['Id'] },
    ]);
  }
}

/** Returns the permission sets of donor-sync in an org, with their permissions. */
async function setsIn({ ask }: Org) {
  const sets = await rowsOf(
    ask,
    "SELECT Id, Name, Label, Description FROM PermissionSet WHERE Name LIKE 'donor_sync%'",
  );
  const rights = await rowsOf(
    ask,
    'SELECT ParentId, Field, PermissionsRead, PermissionsEdit FROM FieldPermissions',
  );
  return sets
    .map(({ Id, Name, Label, Description }) => ({
      ...{ Name, Label, Description },
      rights: rights
        .filter(({ ParentId }) => ParentId === Id)
        .map(({ Field, PermissionsRead, PermissionsEdit }) =>
          [Field, PermissionsRead, PermissionsEdit].join(' '),
        )
        .toSorted(),
    }))
    .toSorted((one, other) => String(one.Name).localeCompare(String(other.Name)));
}

const rowsSchema = z.object({ records: z.array(z.record(z.string(), z.unknown())) });

async function rowsOf(ask: Org['ask'], soql: string) {
  return rowsSchema.parse(await ask('GET', `/query?q=${encodeURIComponent(soql)}`)).records;
}
