import { GUIDE, guideAddress } from '../../../core/guide-address.ts';
import type { Role } from '../../../core/role.ts';

/**
 * An area of the pages. The areas are listed in the order of the navigation. Each area in the navigation has a page.
 */
export interface Area {
  id: AreaId;
  name: string;
  href: string;
  /** The role that a user needs to see the area. Omitted if all users see the area. */
  role?: Role;
}

export const AREAS = [
  { id: 'clients', name: 'Clients', href: '/' },
  { id: 'runs', name: 'Runs', href: '/runs' },
  { id: 'decisions', name: 'Decisions', href: '/decisions' },
  { id: 'introductions', name: 'Introductions', href: '/introductions', role: 'reader' },
  { id: 'networks', name: 'Networks', href: '/networks' },
  { id: 'results', name: 'Results', href: '/results' },
  { id: 'credits', name: 'Credits', href: '/credits' },
  { id: 'setup', name: 'Set-up', href: '/setup', role: 'admin' },
  { id: 'users', name: 'Users', href: '/users', role: 'owner' },
  { id: 'audit', name: 'Audit', href: '/audit', role: 'admin' },
] as const satisfies (Omit<Area, 'id'> & { id: string })[];

export type AreaId = (typeof AREAS)[number]['id'];

/** Returns the address of the guide's section about an area. If no area is given, returns the start of the guide. */
export function helpAbout(id: AreaId | undefined): string {
  const area = AREAS.find((each) => each.id === id);
  if (area === undefined) return GUIDE;
  return guideAddress(`docs/guides/status-page.md#${area.name.toLowerCase()}`);
}
