/** The value of a JSON text; null if it is none, so that an odd answer is told by its status. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
