import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";

/** Parameters that the paths of several resources share. */
export const teamPath = z.object({ tid: uuid.meta({ description: "Id of the team" }) });
