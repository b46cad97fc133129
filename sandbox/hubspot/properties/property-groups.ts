import type { Database } from '../core/database.ts';
import type { ObjectType } from '../core/object-type.ts';
import { STANDARD_GROUPS } from './standard-properties.ts';

/** A group of properties as the API returns it. */
export interface PropertyGroup {
  name: string;
  label: string;
  displayOrder: number;
  archived: boolean;
}

export interface PropertyGroups {
  /** Finds a group. Archived groups are found too. Returns undefined if the group never existed. */
  find(type: ObjectType, name: string): PropertyGroup | undefined;
  /** Returns the groups that are not archived, starting with HubSpot's own groups. */
  list(type: ObjectType): PropertyGroup[];
  /** Stores a group of properties. Replaces an existing group with the same name. */
  save(type: ObjectType, group: PropertyGroup): void;
}

interface GroupRow {
  name: string;
  label: string;
  display_order: number;
  archived: number;
}

/** Opens the groups of a database. */
export function createPropertyGroups(db: Database): PropertyGroups {
  const rows = db.prepare<[string], GroupRow>('select * from property_groups where type = ?');

  function all(type: ObjectType): PropertyGroup[] {
    const own = rows.all(type.name).map(toGroup);
    return [...standardGroups(type), ...own];
  }

  return {
    find: (type, name) => all(type).find((group) => group.name === name),
    list: (type) => all(type).filter(({ archived }) => !archived),
    save(type, { name, label, displayOrder, archived }) {
      db.prepare('insert or replace into property_groups values (?, ?, ?, ?, ?)').run(
        type.name,
        name,
        label,
        displayOrder,
        archived ? 1 : 0,
      );
    },
  };
}

function standardGroups(type: ObjectType): PropertyGroup[] {
  return STANDARD_GROUPS[type.name].map(([name, label], displayOrder) => ({
    name,
    label,
    displayOrder,
    archived: false,
  }));
}

function toGroup({ name, label, display_order: displayOrder, archived }: GroupRow): PropertyGroup {
  return { name, label, displayOrder, archived: archived === 1 };
}
