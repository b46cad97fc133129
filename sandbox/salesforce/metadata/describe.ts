/**
 * The responses of `describe` for objects and fields. The responses of `describe` contain only data that the user can
 * see.
 */

import type { Access, User } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { type Field, type FieldType, isGrantable, isText } from './field.ts';
import type { ObjectType } from './object-type.ts';

/** The parts of an org that are necessary to describe objects. */
export interface DescribeOrg {
  catalogue: Catalogue;
  access: Access;
}

/** Returns a short description of an object, as the list of all objects contains it. */
export function describeBriefly(type: ObjectType, basePath: string) {
  const url = `${basePath}/sobjects/${type.name}`;
  return {
    activateable: false,
    associateEntityType: null,
    associateParentEntity: null,
    createable: type.createable,
    custom: type.custom,
    customSetting: false,
    deepCloneable: false,
    deletable: type.deletable,
    deprecatedAndHidden: false,
    feedEnabled: false,
    hasSubtypes: false,
    isInterface: false,
    isSubtype: false,
    keyPrefix: type.keyPrefix,
    label: type.label,
    labelPlural: type.labelPlural,
    layoutable: true,
    mergeable: type.mergeable,
    mruEnabled: type.createable,
    name: type.name,
    queryable: true,
    replicateable: true,
    retrieveable: true,
    searchable: type.createable,
    triggerable: type.createable,
    undeletable: type.deletable,
    updateable: type.updateable,
    urls: {
      sobject: url,
      describe: `${url}/describe`,
      rowTemplate: `${url}/{ID}`,
    },
  };
}

/** Returns the full description of one object. */
export function describeObject(org: DescribeOrg, type: ObjectType, user: User, basePath: string) {
  const fields = type.fields.filter((field) => org.access.canRead(user, type, field));
  return {
    actionOverrides: [],
    childRelationships: childRelationships(org, type, user),
    compactLayoutable: true,
    ...describeBriefly(type, basePath),
    fields: fields.map((field) => describeField(org, type, field, user)),
    listviewable: null,
    lookupLayoutable: null,
    namedLayoutInfos: [],
    networkScopeFieldName: null,
    recordTypeInfos: [MASTER_RECORD_TYPE],
    sobjectDescribeOption: 'FULL',
    supportedScopes: [{ label: 'All', name: 'everything' }],
  };
}

/** Returns the only page layout of an object. A new custom field is not on the layout until someone adds it. */
export function describeLayouts(org: DescribeOrg, type: ObjectType, user: User) {
  const fields = type.fields.filter(
    (field) =>
      !field.needsGrant &&
      field.type !== 'id' &&
      field.compound === undefined &&
      org.access.canRead(user, type, field),
  );
  const layoutRows = fields.map((field) => {
    const details = describeField(org, type, field, user);
    const item = {
      editableForNew: details.createable,
      editableForUpdate: details.updateable,
      label: field.label,
      layoutComponents: [
        { displayLines: 1, tabOrder: 1, type: 'Field', value: field.name, details },
      ],
      placeholder: false,
      required: field.required,
    };
    return { layoutItems: [item], numItems: 1 };
  });
  const section = {
    collapsed: false,
    columns: 1,
    heading: `${type.label} Information`,
    layoutRows,
    rows: layoutRows.length,
    tabOrder: 'LeftToRight',
    useCollapsibleSection: false,
    useHeading: true,
  };
  const id = '00h000000000001AAA';
  return {
    layouts: [
      {
        buttonLayoutSection: null,
        detailLayoutSections: [section],
        editLayoutSections: [section],
        id,
        multirowEditLayoutSections: [],
        relatedLists: [],
      },
    ],
    recordTypeMappings: [{ ...MASTER_RECORD_TYPE, layoutId: id, picklistsForRecordType: [] }],
    recordTypeSelectorRequired: [false],
  };
}

function childRelationships({ catalogue, access }: DescribeOrg, parent: ObjectType, user: User) {
  const children = catalogue.list().filter((child) => access.canReadType(user, child));
  return children.flatMap((child) =>
    child.fields
      .filter((field) => field.reference?.to === parent.name)
      .filter((field) => access.canRead(user, child, field))
      .map((field) => ({
        cascadeDelete: parent.cascade.some(({ type }) => type === child.name),
        childSObject: child.name,
        deprecatedAndHidden: false,
        field: field.name,
        junctionIdListNames: [],
        junctionReferenceTo: [],
        relationshipName: field.reference?.children ?? null,
        restrictedDelete: false,
      })),
  );
}

function describeField(org: DescribeOrg, type: ObjectType, field: Field, user: User) {
  const canEdit = org.access.canEdit(user, type, field);
  const { reference } = field;
  return {
    aggregatable: field.type !== 'address',
    aiPredictionField: false,
    autoNumber: false,
    byteLength: field.length * BYTES_PER_CHARACTER,
    calculated: field.expression !== undefined && field.custom,
    calculatedFormula: null,
    cascadeDelete: false,
    caseSensitive: false,
    compoundFieldName: field.compound ?? null,
    controllerName: null,
    createable: field.createable && canEdit,
    custom: field.custom,
    defaultValue: field.type === 'boolean' ? false : null,
    defaultValueFormula: null,
    defaultedOnCreate: field.defaultValue !== undefined || field.name === 'OwnerId',
    dependentPicklist: false,
    deprecatedAndHidden: false,
    digits: field.type === 'int' ? field.precision : 0,
    displayLocationInDecimal: false,
    encrypted: false,
    externalId: field.externalId,
    extraTypeInfo: field.type === 'textarea' ? 'plaintextarea' : null,
    filterable: isFilterable(field),
    filteredLookupInfo: null,
    formulaTreatNullNumberAsZero: false,
    groupable: isFilterable(field) && !UNGROUPED.has(field.type),
    highScaleNumber: false,
    htmlFormatted: false,
    idLookup: field.type === 'id' || field.externalId || field.type === 'email',
    inlineHelpText: null,
    label: field.label,
    length: field.length,
    mask: null,
    maskType: null,
    name: field.name,
    nameField: field.name === 'Name',
    namePointing: reference?.others !== undefined,
    nillable: !field.required,
    permissionable: isGrantable(field),
    picklistValues: field.picklist.map((value) => ({
      active: true,
      defaultValue: value === field.defaultValue,
      label: value,
      validFor: null,
      value,
    })),
    polymorphicForeignKey: reference?.others !== undefined,
    precision: field.type === 'int' ? 0 : field.precision,
    queryByDistance: field.type === 'address',
    referenceTargetField: null,
    referenceTo: reference === undefined ? [] : [...(reference.others ?? []), reference.to],
    relationshipName: reference?.relationship ?? null,
    relationshipOrder: null,
    restrictedDelete: false,
    restrictedPicklist: field.restricted,
    scale: field.scale,
    searchPrefilterable: field.type === 'reference',
    soapType: soapType(field),
    sortable: isFilterable(field) && field.type !== 'multipicklist',
    type: field.type,
    unique: field.unique,
    updateable: field.updateable && canEdit,
    writeRequiresMasterRead: false,
  };
}

const BYTES_PER_CHARACTER = 3;

/** The types of fields that GROUP BY does not support. */
const UNGROUPED = new Set<FieldType>([
  'currency',
  'percent',
  'double',
  'multipicklist',
  'datetime',
  'address',
]);

/** Returns false for a long text, because a query cannot filter by it. */
function isFilterable(field: Field): boolean {
  return !(field.type === 'textarea' && field.length > 255);
}

function soapType(field: Field): string {
  if (field.type === 'id' || field.type === 'reference') return 'tns:ID';
  if (isText(field)) return 'xsd:string';
  return SOAP_TYPES[field.type] ?? 'xsd:double';
}

const SOAP_TYPES: Partial<Record<FieldType, string>> = {
  boolean: 'xsd:boolean',
  int: 'xsd:int',
  date: 'xsd:date',
  datetime: 'xsd:dateTime',
  address: 'urn:address',
};

const MASTER_RECORD_TYPE = {
  active: true,
  available: true,
  defaultRecordTypeMapping: true,
  developerName: 'Master',
  master: true,
  name: 'Master',
  recordTypeId: '012000000000000AAA',
  urls: {},
};
