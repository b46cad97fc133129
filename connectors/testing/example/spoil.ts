/** Adds a mistake to the example connector, which is otherwise correct. */
import type {
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
  ContactChange,
  Finding,
} from '../../contract.ts';
import { defineExampleConnector, type ExampleFlaws, type ExampleSettings } from './connector.ts';

export interface Mistake {
  /** A description of the connector's mistake. */
  name: string;
  /** The title of the promise that the mistake breaks. The mistake may also break other promises. */
  breaks: string;
  /** A text that the kit's message to the author must contain. */
  says?: string;
  definition: ConnectorDefinition<ExampleSettings>;
}

type Options = ConnectorOptions<ExampleSettings>;

export interface Spoiled extends Pick<Mistake, 'breaks' | 'says'> {
  flaws?: ExampleFlaws;
  options?(options: Options): Options;
  connector?(connector: Connector, options: Options): Partial<Connector>;
  /** Replaces `check` of the definition. `right` is the definition without the mistake. */
  check?(right: ConnectorDefinition<ExampleSettings>, options: Options): Promise<Finding[]>;
  /** Replaces the error when opening the connector fails or when a call fails. */
  error?(error: unknown, options: Options): unknown;
}

/** Returns a definition that has this mistake. */
export function mistake(
  name: string,
  {
    breaks,
    says = '',
    flaws,
    options: change = (same) => same,
    connector,
    check,
    error: say = (same) => same,
  }: Spoiled,
): Mistake {
  const right = defineExampleConnector(flaws);
  const definition: ConnectorDefinition<ExampleSettings> = {
    ...right,
    async open(options) {
      const opened = await right.open(change(options)).catch((error: unknown) => {
        throw say(error, options);
      });
      const saying = withErrors(opened, (error) => say(error, options));
      return { ...saying, ...connector?.(saying, options) };
    },
    ...(check === undefined ? {} : { check: (options) => check(right, options) }),
  };
  return { name, breaks, says, definition };
}

/** Returns a connector that throws wrong errors when it reads and writes. */
function withErrors(connector: Connector, say: (error: unknown) => unknown): Connector {
  return {
    ...connector,
    readPages: (cursor) => relay(connector.readPages(cursor), say),
    write: (changes) => relay(connector.write(changes), say),
    readByIds: (ids, fields) =>
      connector.readByIds(ids, fields).catch((error: unknown) => {
        throw say(error);
      }),
  };
}

async function* relay<Item>(
  items: AsyncIterable<Item>,
  say: (error: unknown) => unknown,
): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw say(error);
  }
}

/** Yields the changes with wrong values. */
export async function* mapped(
  changes: Parameters<Connector['write']>[0],
  change: (value: WrittenValue, field: string) => WrittenValue,
): AsyncGenerator<ContactChange> {
  for await (const one of changes) {
    const values = Object.entries(one.values).map(([name, value]) => [name, change(value, name)]);
    yield { ...one, values: Object.fromEntries(values) };
  }
}

export type WrittenValue = ContactChange['values'][string];
