import { z } from 'zod';

const METADATA_LENGTH_MAX = 8000;

/** The metadata of an uploader: a JSON object that PostgreSQL can store. */
export const metadataSchema = z.record(z.string(), z.unknown()).refine((metadata) => {
  try {
    const text = JSON.stringify(metadata);
    return text.length <= METADATA_LENGTH_MAX && !text.includes('\\u0000');
  } catch {
    // Nested too deeply to be written.
    return false;
  }
});
