import { GUIDE, guideAddress } from '../../../core/guide-address.ts';
import type { Role } from '../../../core/role.ts';

/** The areas of the pages, as the rail lists them. An area is listed once it has a page. */
export interface Area {
  id: string;
  name: string;
  href: string;
  /** The role that is needed to see it in the rail; every user sees it if left out. */
  role?: Role;
}

export const AREAS = [
  { id: 'clients', name: 'Clients', href: '/' },
  { id: 'runs', name: 'Runs', href: '/runs' },
  { id: 'decisions', name: 'Decisions', href: '/decisions' },
  { id: 'networks', name: 'Networks', href: '/networks' },
  { id: 'credits', name: 'Credits', href: '/credits' },
  { id: 'setup', name: 'Set-up', href: '/setup', role: 'admin' },
  { id: 'users', name: 'Users', href: '/users', role: 'owner' },
  { id: 'audit', name: 'Audit', href: '/audit', role: 'admin' },
] as const satisfies Area[];

export type AreaId = (typeof AREAS)[number]['id'];

/** The section of the guide about this area, which is called like the area; the guide itself for pages of no area. */
export function helpAbout(id: AreaId | undefined): string {
  const area = AREAS.find((each) => each.id === id);
  if (area === undefined) return GUIDE;
  return guideAddress(`docs/guides/status-page.md#${area.name.toLowerCase()}`);
}
