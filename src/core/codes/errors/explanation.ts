/** The explanation of an error code. It leaves out details that the error's message explains better. */
export interface ErrorExplanation {
  /** What happened, and what did not happen. */
  means: string;
  /** What to do next. */
  next: string;
  /** What it costs, if credits are concerned. */
  costs?: string;
  /** The document with more information, if it is not the topic's document. */
  document?: string;
}

/** The error codes of a topic, with the document that describes most of them. */
export interface ErrorTopic {
  document: string;
  codes: Readonly<Record<string, ErrorExplanation>>;
}
