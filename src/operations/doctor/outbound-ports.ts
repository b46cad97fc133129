import type { Integration } from '../../core/integration-settings.ts';
import type { Settings } from '../../settings/settings.ts';

export interface OutboundPort {
  port: number;
  /** The destinations in words, in alphabetical order. */
  for: string[];
}

type PortSettings = Pick<Settings, 'alerts' | 'database' | 'server'>;

/** Lists the ports that outgoing connections need. Excludes DNS. */
export function outboundPorts(
  { alerts, database, server }: PortSettings,
  integrations: Iterable<Integration>,
): OutboundPort[] {
  const ofClients = [...integrations].flatMap(({ partner, crm, alerts: own }) => [
    use('the service', partner.baseUrl),
    use('CRMs', crmAddress(crm)),
    use('webhooks of alerts', own?.webhook.url),
  ]);
  const uses = [
    ...ofClients,
    use('the database', database.startsWith('sqlite:') ? undefined : database),
    use('the mail server', alerts.email?.smtp),
    use('webhooks of alerts', alerts.webhook?.url),
    use('the sign-in provider', server.signIn.oidc?.issuer),
  ].filter((one) => one !== null);
  const byPort = Map.groupBy(uses, ({ port }) => port);
  return [...byPort]
    .map(([port, some]) => ({ port, for: [...new Set(some.map((one) => one.what))].sort() }))
    .sort((a, b) => a.port - b.port);
}

/**
 * Returns the address of a CRM. A CSV file has no address. If the settings contain no address, the vendor's HTTPS
 * address is used.
 */
function crmAddress({ kind, url }: Integration['crm']): string | undefined {
  if (typeof url === 'string') return url;
  return kind === 'csv' || kind === 'memory' ? undefined : 'https://crm.invalid';
}

/** The default ports of URL schemes. */
const USUAL: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'smtp:': 587,
  'smtps:': 465,
};

function use(what: string, address: string | undefined): { what: string; port: number } | null {
  if (address === undefined || !URL.canParse(address)) return null;
  const { port, protocol } = new URL(address);
  const number = Number(port) || USUAL[protocol];
  return number === undefined ? null : { what, port: number };
}

/** Returns values for the Helm chart that allow only these ports. */
export function networkPolicyValues(ports: readonly OutboundPort[]): string {
  const lines = ports.flatMap(({ port, for: uses }) => [
    `    # ${uses.join(', ')}`,
    `    - ports: [{ protocol: TCP, port: ${port} }]`,
  ]);
  return ['networkPolicy:', '  enabled: true', '  egress:', ...lines].join('\n');
}
