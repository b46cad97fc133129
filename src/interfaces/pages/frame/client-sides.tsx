/** The links between the pages of one client. Each page of a client shows these links. */
import type { Role } from '../../../core/role.ts';
import { may, type Viewer } from './layout.tsx';

/** The links. If a link leads to an area for all clients, it selects this client there. */
const SIDES = [
  { side: 'client', name: 'Overview', role: 'viewer', buildHref: (id) => `/clients/${id}` },
  { side: 'runs', name: 'Runs', role: 'viewer', buildHref: (id) => `/runs?client=${id}` },
  { side: 'networks', name: 'Networks', role: 'viewer', buildHref: (id) => `/networks/${id}` },
  {
    side: 'contacts',
    name: 'Contacts',
    role: 'reader',
    buildHref: (id) => `/clients/${id}/contacts`,
  },
  {
    side: 'schedule',
    name: 'Schedule',
    role: 'viewer',
    buildHref: (id) => `/clients/${id}/schedule`,
  },
  { side: 'alerts', name: 'Alerts', role: 'viewer', buildHref: (id) => `/clients/${id}/alerts` },
  { side: 'fields', name: 'Fields', role: 'admin', buildHref: (id) => `/clients/${id}/fields` },
  {
    side: 'webhooks',
    name: 'Webhooks',
    role: 'admin',
    buildHref: (id) => `/clients/${id}/webhooks`,
  },
  { side: 'doctor', name: 'Doctor', role: 'admin', buildHref: (id) => `/clients/${id}/doctor` },
  { side: 'setup', name: 'Set-up', role: 'admin', buildHref: (id) => `/setup/${id}` },
] as const satisfies {
  side: string;
  name: string;
  role: Role;
  buildHref: (id: string) => string;
}[];

export type ClientSide = (typeof SIDES)[number]['side'];

interface ClientSidesProps {
  client: { id: string; name: string };
  side: ClientSide | null;
  viewer: Viewer;
}

export function ClientSides({ client: { id, name }, side, viewer }: ClientSidesProps) {
  return (
    <nav class="sides" aria-label={`Pages of ${name}`}>
      {SIDES.filter(({ role }) => may(viewer, role)).map((one) => (
        <a href={one.buildHref(id)} {...(one.side === side ? { 'aria-current': 'page' } : {})}>
          {one.name}
        </a>
      ))}
    </nav>
  );
}

/** Returns the name of a client's page, as a heading. */
export function sideName(side: ClientSide): string {
  return SIDES.find((one) => one.side === side)?.name ?? side;
}
