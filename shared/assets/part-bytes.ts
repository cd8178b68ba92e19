/** Length of the parts of a large file, except for the last: the least that S3 takes. */
export const partBytes = 5 * 1024 * 1024;
