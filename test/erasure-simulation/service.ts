/**
 * Simulates the Partner Data Service for a history. The simulated service responds immediately, and its profiles
 * sometimes name other people.
 */
import { createRandom } from '../simulation/random.ts';
import { fullName, type Human, type People } from './people.ts';

export interface ServiceLine {
  at: number;
  endpoint: string;
  text: string;
}

export interface HistoryService {
  fetch: typeof globalThis.fetch;
  /** All requests to the service, for the checks. */
  readonly lines: readonly ServiceLine[];
  /** Returns the donors that are members of a network. */
  members(): ReadonlySet<string>;
  /** Changes the strengths of the relationships between people. */
  rewire(): void;
}

interface Network {
  id: string;
  name: string;
  members: Set<string>;
}

export const BASE_URL = 'https://partner.example/v1/partners';

const PLACES = ['Hill College', 'Riverside Food Bank', 'Lakeside Hospital'];

export function createHistoryService(
  people: People,
  options: { seed: number; now: () => number; areBiosTelling: boolean },
): HistoryService {
  const lines: ServiceLine[] = [];
  const jobs = new Map<string, Human>();
  const adds = new Map<string, readonly string[]>();
  const networks = new Map<string, Network>();
  let lastId = 0;
  let wiring = 0;

  return {
    lines,
    members: () => new Set([...networks.values()].flatMap((each) => [...each.members])),
    rewire() {
      wiring += 1;
    },
    async fetch(input, init = {}) {
      const path = String(input).slice(BASE_URL.length);
      const method = init.method ?? 'GET';
      const text = typeof init.body === 'string' ? init.body : '';
      lines.push({ at: options.now(), endpoint: `${method} ${path}`, text });
      const { status, body } = answerOf(method, path, text === '' ? null : JSON.parse(text));
      const headers = {
        date: new Date(options.now()).toUTCString(),
        'content-type': 'application/json',
      };
      return new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
    },
  };

  function answerOf(
    method: string,
    path: string,
    body: unknown,
  ): { status: number; body: unknown } {
    const route = `${method} ${path}`;
    if (route === 'GET /credits') return ok(BALANCES);
    if (route === 'POST /enhancements') return submit(body);
    if (route === 'POST /enhancements/progress/batch') {
      return jobStates(body, () => ({ progress: DONE, error: null }));
    }
    if (route === 'POST /enhancements/results/batch') {
      return jobStates(body, (human) => ({
        progress: DONE,
        error: null,
        result: profileOf(human),
      }));
    }
    if (path === '/networks/connections') {
      return ok({ prospects: listIn(body, 'donor_ids').map((id) => prospectOf(id, body)) });
    }
    return networkRoute(method, path, body) ?? { status: 404, body: { detail: 'Not Found' } };
  }

  function submit(body: unknown) {
    const persons: unknown[] = Reflect.get(Object(body), 'persons');
    const made = persons.map((person) => {
      const name = Object(Reflect.get(Object(person), 'name'));
      const human = people.byWord(String(Reflect.get(name, 'last')));
      if (human === undefined) throw new Error('The service was sent a person that nobody is.');
      const id = nextId();
      jobs.set(id, human);
      return [String(Reflect.get(Object(person), 'tracking_id')), id];
    });
    const meta = { requested: persons.length, processed: persons.length };
    const tracking_id_to_job_id = Object.fromEntries(made);
    return { status: 202, body: { status: 202, message: 'OK', tracking_id_to_job_id, meta } };
  }

  function jobStates(body: unknown, stateOf: (human: Human) => unknown) {
    const ids = listIn(body, 'job_ids');
    const found = ids.flatMap((id) => {
      const human = jobs.get(id);
      return human === undefined ? [] : [[id, stateOf(human)]];
    });
    return ok({
      ...{ status: 200, message: 'OK', job_id_to_state: Object.fromEntries(found) },
      not_found: ids.filter((id) => !jobs.has(id)),
    });
  }

  function profileOf(human: Human) {
    return {
      ...{ id: human.donorId, name: { ...human.known, middle: null } },
      service_url: `https://partner.example/donors/${human.donorId}`,
      ...{ age: 30 + human.index, net_worth_range: [1_000_000, 1_500_000 + human.index] },
      political_stats: { capacity: 1_000 },
      nonprofit_stats: { capacity: 2_000 },
      education: [{ institution_name: `${human.trait} College` }],
      work: [{ company_name: human.employer }],
      bio: [`Collects ${human.trait}`, ...toldOf(human)],
      is_deceased: false,
    };
  }

  /** Returns the words about a different person that the profile contains. */
  function toldOf(human: Human): string[] {
    if (!options.areBiosTelling) return [];
    const other = people.all[(human.index + 1) % people.all.length];
    return other === undefined || other === human ? [] : [`Married to ${fullName(other.known)}`];
  }

  function prospectOf(donorId: string, body: unknown) {
    const ids = listIn(body, 'network_ids');
    const inside = [...networks.values()].filter(({ id }) => ids.length === 0 || ids.includes(id));
    const sources = new Set(inside.flatMap(({ members }) => [...members]));
    sources.delete(donorId);
    const connections = [...sources].flatMap((source) => {
      const human = people.byDonor(source);
      const chance = createRandom(`${options.seed} ${wiring} ${source} ${donorId}`);
      if (human === undefined || chance.chance(0.15)) return [];
      return [
        {
          source_donor: { donor_id: source, name: fullName(human.known) },
          strength: 0.5 + chance.int(0, 45) / 100,
          snippet: null,
          connecting_entity_name: chance.one(PLACES),
          connecting_entity_type: 'nonprofit',
          source_relationship: chance.pick(['sat_on_board_of', 'works_for', 'unknown_word']),
          target_relationship: 'donates_to',
          networks: inside
            .filter(({ members }) => members.has(source))
            .map(({ id, name }) => ({ network_id: id, name })),
        },
      ];
    });
    const donor = { donor_id: donorId };
    return { donor, total_connections: connections.length, connections };
  }

  function networkRoute(method: string, path: string, body: unknown) {
    if (path === '/networks' && method === 'GET') {
      return ok({ networks: [...networks.values()].map(recordOf) });
    }
    if (path === '/networks' && method === 'POST') {
      const network = { id: `n${nextId()}`, name: nameIn(body), members: new Set<string>() };
      networks.set(network.id, network);
      return { status: 201, body: recordOf(network) };
    }
    const job = /^\/networks\/jobs\/(.+)$/.exec(path)?.[1];
    if (job !== undefined) {
      const results = { added_ids: adds.get(job) ?? [], already_member_ids: [], unpaid_ids: [] };
      return ok({ job_id: job, status: 'completed', results });
    }
    const donor = /^\/networks\/donors\/([^/?]+)\/connections/.exec(path)?.[1];
    if (donor !== undefined) {
      const inside = [...networks.values()].filter(({ members }) => members.has(donor));
      const names = inside.map(({ id, name }) => ({ network_id: id, name }));
      return ok({ in_network: inside.length > 0, networks: names, connections: [] });
    }
    const [, id = '', what] =
      /^\/networks\/([^/]+)(\/members\/batch|\/members\/remove)?$/.exec(path) ?? [];
    const network = networks.get(id);
    if (network === undefined) return null;
    const donors = listIn(body, 'donor_ids');
    if (what === '/members/batch') {
      const add = nextId();
      adds.set(add, donors);
      for (const each of donors) network.members.add(each);
      return { status: 202, body: { job_id: add } };
    }
    if (what === '/members/remove') {
      for (const each of donors) network.members.delete(each);
      return { status: 204, body: null };
    }
    if (method !== 'PUT') return null;
    network.name = nameIn(body);
    return { status: 204, body: null };
  }

  function nextId(): string {
    lastId += 1;
    return lastId.toString(16).padStart(32, '0');
  }
}

const DONE = { status: 'completed', pct_done: null };

const BALANCES = {
  ...{ donors: 9_000, enhancements: 9_000, exports: 9_000, lists: 9_000 },
  ...{ networks: 9_000, searches: 9_000 },
};

function ok(body: unknown) {
  return { status: 200, body };
}

function recordOf({ id, name, members }: Network) {
  return { network_id: id, name, color: 'teal', member_count: members.size };
}

function nameIn(body: unknown): string {
  return String(Reflect.get(Object(body), 'name'));
}

function listIn(body: unknown, name: string): string[] {
  const list: unknown = Array.isArray(body) ? body : Reflect.get(Object(body), name);
  return Array.isArray(list) ? list.map(String) : [];
}
