/** Stores the validation rules of all properties, and checks whether values comply with the rules. */

import { z } from 'zod';
import type { Database } from '../core/database.ts';
import { validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Property } from './property.ts';
import type { ValueError, Values } from './property-values.ts';
import {
  badArguments,
  breach,
  type RuleType,
  type ValidationRule,
  validationRuleSchema,
} from './validation-rule.ts';

export interface PropertyValidations {
  /** Returns the rules of a property, sorted by type. */
  of(type: ObjectType, property: string): ValidationRule[];
  list(type: ObjectType): { property: string; rules: ValidationRule[] }[];
  /**
   * Adds a rule, or replaces an existing rule of the same type. Throws if the rule is not possible for the property.
   */
  set(type: ObjectType, property: Property, rule: ValidationRule): void;
  /** Removes rules. If no type is given, removes all rules of the property. */
  remove(type: ObjectType, property: string, ruleType?: RuleType): void;
  /** Returns the errors for values that a client wants to write. */
  check(type: ObjectType, values: Values): ValueError[];
}

const rowsSchema = z.array(z.object({ type: z.string(), property: z.string(), rule: z.string() }));

/** Opens the rule store in a database. */
export function createPropertyValidations(db: Database, clock: () => number): PropertyValidations {
  let known: Map<string, Map<string, ValidationRule[]>> | undefined;

  function ofType({ name }: ObjectType): Map<string, ValidationRule[]> {
    known ??= readAll(db);
    return known.get(name) ?? new Map();
  }

  return {
    of: (type, property) => ofType(type).get(property) ?? [],
    list: (type) => [...ofType(type)].map(([property, rules]) => ({ property, rules })),
    set(type, property, rule) {
      const wrong = badArguments(property, rule);
      if (wrong !== undefined) throw validationError(wrong);
      db.prepare('insert or replace into property_validations values (?, ?, ?, ?)').run(
        type.name,
        property.name,
        rule.ruleType,
        JSON.stringify(rule),
      );
      known = undefined;
    },
    remove(type, property, ruleType) {
      db.prepare(
        'delete from property_validations where type = ? and property = ? and rule_type = coalesce(?, rule_type)',
      ).run(type.name, property, ruleType ?? null);
      known = undefined;
    },
    check(type, values) {
      const rules = ofType(type);
      if (rules.size === 0) return [];
      return Object.entries(values).flatMap(([name, value]) =>
        (rules.get(name) ?? []).flatMap((rule): ValueError[] => {
          const broken = breach(rule, value, clock());
          return broken === undefined ? [] : [{ isValid: false, ...broken, name }];
        }),
      );
    },
  };
}

function readAll(db: Database): Map<string, Map<string, ValidationRule[]>> {
  const rows = rowsSchema.parse(
    db
      .prepare('select type, property, rule from property_validations order by 1, 2, rule_type')
      .all(),
  );
  const all = new Map<string, Map<string, ValidationRule[]>>();
  for (const { type, property, rule } of rows) {
    const ofType = all.get(type) ?? new Map<string, ValidationRule[]>();
    all.set(type, ofType);
    const parsed = validationRuleSchema.parse(JSON.parse(rule));
    ofType.set(property, [...(ofType.get(property) ?? []), parsed]);
  }
  return all;
}
