/** Custom fields of constituents, and the values of fields with choices. No API request can create a field. */
import { z } from 'zod';
import type { Database } from '../core/database.ts';

export const customFieldSchema = z.strictObject({
  name: z.string().min(1),
  dataType: z.enum(['Currency', 'Date', 'Decimal', 'Text', 'Year']).default('Text'),
  pickType: z.enum(['Freeform', 'PickOne', 'PickMultiple']).default('Freeform'),
  /** The choices of a custom field with a list. Fields without a list have no choices. */
  values: z.array(z.string()).default([]),
  isActive: z.boolean().default(true),
  isRequired: z.boolean().default(false),
});

export type NewCustomField = z.input<typeof customFieldSchema>;

export interface CustomField extends Omit<z.output<typeof customFieldSchema>, 'values'> {
  id: number;
}

export interface CustomValue {
  id: number;
  fieldId: number;
  value: string;
  isActive: boolean;
}

export interface CustomFields {
  /** Creates a field, as an administrator does in Bloomerang's settings. */
  create(field: NewCustomField): CustomField;
  change(id: number, changes: Partial<Omit<CustomField, 'id'>>): void;
  find(id: number): CustomField | undefined;
  findByName(name: string): CustomField | undefined;
  list(): CustomField[];
  values(): CustomValue[];
  findValue(id: number): CustomValue | undefined;
}

export function createCustomFields(db: Database): CustomFields {
  const insert = db.prepare('insert into custom_fields (body) values (?)');
  const insertValue = db.prepare('insert into custom_values (field_id, value) values (?, ?)');
  const all = db.prepare<[], { id: number; body: string }>(
    'select * from custom_fields order by id',
  );
  const one = db.prepare<[number], { id: number; body: string }>(
    'select * from custom_fields where id = ?',
  );
  const allValues = db.prepare<[], ValueRow>('select * from custom_values order by id');
  const oneValue = db.prepare<[number], ValueRow>('select * from custom_values where id = ?');
  // The result is cached, because a page reads the fields for each of its constituents.
  let cached: Map<number, CustomField> | null = null;

  function load(): Map<number, CustomField> {
    cached ??= new Map(all.all().map((row) => [row.id, toField(row)]));
    return cached;
  }

  return {
    create(order) {
      const { values, ...field } = customFieldSchema.parse(order);
      const id = Number(insert.run(JSON.stringify(field)).lastInsertRowid);
      for (const value of values) insertValue.run(id, value);
      cached = null;
      return { ...field, id };
    },
    change(id, changes) {
      const row = one.get(id);
      if (row === undefined) throw new RangeError(`There is no custom field ${id}.`);
      const body = JSON.stringify({ ...JSON.parse(row.body), ...changes });
      db.prepare('update custom_fields set body = ? where id = ?').run(body, id);
      cached = null;
    },
    find: (id) => load().get(id),
    findByName: (name) => [...load().values()].find((field) => field.name === name),
    list: () => [...load().values()],
    values: () => allValues.all().map(toValue),
    findValue(id) {
      const row = oneValue.get(id);
      return row && toValue(row);
    },
  };
}

interface ValueRow {
  id: number;
  field_id: number;
  value: string;
  is_active: number;
}

function toField({ id, body }: { id: number; body: string }): CustomField {
  const { values: _, ...field } = customFieldSchema.parse(JSON.parse(body));
  return { id, ...field };
}

function toValue({ id, field_id, value, is_active }: ValueRow): CustomValue {
  return { id, fieldId: field_id, value, isActive: is_active === 1 };
}
