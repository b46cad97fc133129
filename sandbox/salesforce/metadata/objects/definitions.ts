/** Objects that describe objects and fields. Clients query them. */

import { type Database, quoted } from '../../core/database.ts';
import { createId } from '../../core/ids.ts';
import { defineField, type Field, isNumeric, isStored, lookup, text } from '../field.ts';
import { defineObject, type ObjectType } from '../object-type.ts';
import { systemValues } from '../setup-records.ts';
import { flag } from './people.ts';

const READ_ONLY = { createable: false, updateable: false, deletable: false };

/** Returns the objects. The stand-in writes their rows before each query. */
export function definitionObjects(): ObjectType[] {
  return [
    defineObject({
      name: 'EntityDefinition',
      label: 'Entity Definition',
      keyPrefix: '4ie',
      ...READ_ONLY,
      fields: [
        text('DurableId', 'Durable ID', 255),
        text('QualifiedApiName', 'Qualified API Name', 70),
        text('DeveloperName', 'Developer Name', 70),
        text('NamespacePrefix', 'Namespace Prefix', 15),
        text('Label', 'Label', 80),
        text('MasterLabel', 'Master Label', 80),
        text('PluralLabel', 'Plural Label', 80),
        text('KeyPrefix', 'Key Prefix', 3),
        flag('IsQueryable', 'Is Queryable'),
      ],
    }),
    defineObject({
      name: 'FieldDefinition',
      label: 'Field Definition',
      keyPrefix: '4fe',
      ...READ_ONLY,
      fields: [
        text('DurableId', 'Durable ID', 255),
        text('QualifiedApiName', 'Qualified API Name', 70),
        text('DeveloperName', 'Developer Name', 70),
        text('NamespacePrefix', 'Namespace Prefix', 15),
        text('Label', 'Label', 80),
        text('MasterLabel', 'Master Label', 80),
        text('DataType', 'Data Type', 255),
        lookup('EntityDefinitionId', 'Entity Definition ID', {
          to: 'EntityDefinition',
          relationship: 'EntityDefinition',
          children: 'Fields',
        }),
        defineField('Length', 'Length', 'int', { precision: 9 }),
        defineField('Precision', 'Precision', 'int', { precision: 9 }),
        defineField('Scale', 'Scale', 'int', { precision: 9 }),
        flag('IsNillable', 'Is Nillable'),
        flag('IsCalculated', 'Is Calculated'),
      ],
    }),
  ];
}

/** Returns true if the stand-in writes the object's rows before each query. */
export function isDefinition({ name }: ObjectType): boolean {
  return name === 'EntityDefinition' || name === 'FieldDefinition';
}

/** Writes the current definitions that the user is allowed to see, according to `canRead`. */
export function writeDefinitions(
  db: Database,
  types: readonly ObjectType[],
  atMs: number,
  canRead: (type: ObjectType, field?: Field) => boolean,
): void {
  const insert = (table: string, row: Record<string, string | number | null>) => {
    const names = Object.keys(row).map(quoted).join(', ');
    const marks = Object.keys(row)
      .map(() => '?')
      .join(', ');
    db.prepare(`insert into ${quoted(table)} (${names}) values (${marks})`).run(
      ...Object.values(row),
    );
  };
  db.transaction(() => {
    db.exec('delete from "EntityDefinition"; delete from "FieldDefinition"');
    let fieldCount = 0;
    const shown = types.filter((type) => !isDefinition(type) && canRead(type));
    for (const [index, type] of shown.entries()) {
      const entityId = createId('4ie', index + 1);
      insert('EntityDefinition', {
        rowid: index + 1,
        Id: entityId,
        ...systemValues(atMs),
        DurableId: type.name,
        ...namesOf(type.name, type.label),
        PluralLabel: type.labelPlural,
        KeyPrefix: type.keyPrefix,
        IsQueryable: 1,
      });
      for (const field of type.fields.filter((one) => canRead(type, one))) {
        fieldCount += 1;
        insert('FieldDefinition', {
          rowid: fieldCount,
          Id: createId('4fe', fieldCount),
          ...systemValues(atMs),
          DurableId: `${type.name}.${field.name}`,
          ...namesOf(field.name, field.label),
          DataType: dataTypeOf(field),
          EntityDefinitionId: entityId,
          Length: field.length,
          Precision: field.precision,
          Scale: field.scale,
          IsNillable: field.required ? 0 : 1,
          IsCalculated: isStored(field) ? 0 : 1,
        });
      }
    }
  })();
}

function namesOf(name: string, label: string) {
  const [, prefix = null, rest = name] = /^(\w+?)__(\w+)__c$/.exec(name) ?? [];
  return {
    QualifiedApiName: name,
    DeveloperName: rest.replace(/__c$/, ''),
    NamespacePrefix: prefix,
    Label: label,
    MasterLabel: label,
  };
}

/** Returns the type of a field as Salesforce Setup shows it, for example `Number(12, 2)`. */
function dataTypeOf(field: Field): string {
  const { type, length, precision, scale, reference } = field;
  if (reference !== undefined) return `Lookup(${[...(reference.others ?? []), reference.to]})`;
  const name = TYPE_NAMES[type] ?? type;
  if (isNumeric(field)) return `${name}(${precision - scale}, ${scale})`;
  return type === 'string' ? `${name}(${length})` : name;
}

const TYPE_NAMES: Partial<Record<Field['type'], string>> = {
  string: 'Text',
  textarea: 'Text Area',
  email: 'Email',
  phone: 'Phone',
  url: 'URL',
  picklist: 'Picklist',
  multipicklist: 'Picklist (Multi-Select)',
  boolean: 'Checkbox',
  int: 'Number',
  double: 'Number',
  currency: 'Currency',
  percent: 'Percent',
  date: 'Date',
  datetime: 'Date/Time',
  address: 'Address',
  id: 'Lookup()',
};
