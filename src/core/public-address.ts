/** An address of ours as the world knows it. */
export function publicAddress(publicUrl: string, pathAndQuery: string): string {
  return publicUrl.replace(/(?<!\/)\/+$/, '') + pathAndQuery;
}
