import pg from 'pg';

/** Creates an empty database with this name on a server. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
