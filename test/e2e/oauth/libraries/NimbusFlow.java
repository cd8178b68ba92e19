import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.auth.*;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.pkce.*;
import com.nimbusds.oauth2.sdk.token.*;
import java.net.URI;
import java.util.*;
import java.util.concurrent.Callable;
import net.minidev.json.JSONObject;

/**
 * Gets, uses, refreshes and revokes tokens with the Nimbus OAuth 2.0 SDK, and fails in every way of `failures.ts`.
 * Needs: java -cp 'FOLDER/*' NimbusFlow.java, where FOLDER has the libraries that pom.xml names.
 */
class NimbusFlow {
    static final String ISSUER = System.getenv("ISSUER");
    static final URI REDIRECT = URI.create(System.getenv("REDIRECT_URL"));
    static final ClientID APP = new ClientID(System.getenv("CLIENT_ID"));
    static final ClientID UNKNOWN_APP = new ClientID("00000000-0000-4000-8000-000000000000");
    static final ClientAuthentication BASIC = basic(System.getenv("CLIENT_SECRET"));
    static final Scope SCOPE = new Scope("read:self");
    static AuthorizationServerMetadata server;

    record Consent(String code, CodeVerifier verifier) {}

    public static void main(String[] args) throws Exception {
        server = AuthorizationServerMetadata.resolve(new Issuer(ISSUER));
        var failures = new LinkedHashMap<String, Callable<Response>>();
        failures.put("unknown-code", () -> redeem(grant("unknown", new CodeVerifier())));
        failures.put("used-code", NimbusFlow::usedCode);
        failures.put("expired-code", () -> redeem(
            grant(System.getenv("EXPIRED_CODE"), new CodeVerifier(System.getenv("EXPIRED_CODE_VERIFIER")))));
        failures.put("other-redirect-url", () -> {
            var consent = newConsent();
            var other = URI.create("https://other.example.com/");
            return redeem(new AuthorizationCodeGrant(new AuthorizationCode(consent.code), other, consent.verifier));
        });
        failures.put("wrong-verifier", () -> redeem(grant(newConsent().code, new CodeVerifier())));
        failures.put("missing-verifier", () -> redeem(grant(newConsent().code, null)));
        failures.put("unknown-app", () -> send(new TokenRequest(token(), UNKNOWN_APP, newGrant())));
        failures.put("wrong-secret", () -> send(
            new TokenRequest(token(), new ClientSecretPost(APP, new Secret("wrong")), newGrant())));
        failures.put("wrong-secret-by-basic", () -> send(new TokenRequest(token(), basic("wrong"), newGrant())));
        failures.put("malformed-basic", () -> {
            var request = new TokenRequest(token(), BASIC, newGrant()).toHTTPRequest();
            request.setAuthorization("Basic !");
            return TokenResponse.parse(request.send());
        });
        failures.put("unsupported-grant-type", () -> redeem(new ClientCredentialsGrant()));
        failures.put("used-refresh-token", () -> {
            var refreshToken = tokens(redeem(newGrant())).getRefreshToken();
            tokens(redeem(new RefreshTokenGrant(refreshToken)));
            return redeem(new RefreshTokenGrant(refreshToken));
        });
        failures.put("revoked-refresh-token", () -> {
            var refreshToken = tokens(redeem(newGrant())).getRefreshToken();
            revoke(refreshToken);
            return redeem(new RefreshTokenGrant(refreshToken));
        });
        failures.put("unknown-scope", () -> ask(request(new CodeVerifier()).scope(new Scope("everything"))));
        failures.put("plain-challenge", () -> ask(
            request(new CodeVerifier()).codeChallenge(new CodeVerifier(), CodeChallengeMethod.PLAIN)));
        failures.put("denied-consent", () ->
            AuthorizationResponse.parse(URI.create(System.getenv("DENIED_RESPONSE"))));

        var told = new JSONObject();
        for (var failure : failures.entrySet()) told.put(failure.getKey(), toldBy(failure.getValue()));
        System.out.println(new JSONObject(Map.of("success", success(), "failures", told)));
    }

    static JSONObject success() throws Exception {
        var consent = newConsent();
        var request = new TokenRequest(token(), APP, grant(consent.code, consent.verifier));
        var first = tokens(send(request));
        var second = tokens(send(new TokenRequest(token(), APP, new RefreshTokenGrant(first.getRefreshToken()))));
        return new JSONObject(Map.of(
            "user", userOf(first.getAccessToken()),
            "refreshed", userOf(second.getAccessToken()),
            "revocation", revoke(second.getRefreshToken()).getStatusCode()));
    }

    static JSONObject toldBy(Callable<Response> fail) {
        try {
            var response = fail.call();
            if (response instanceof ErrorResponse error)
                return new JSONObject(Map.of(
                    "type", response.getClass().getSimpleName(), "error", error.getErrorObject().getCode()));
            return new JSONObject(Map.of("type", "no error", "returned", response.getClass().getSimpleName()));
        } catch (Exception error) {
            return new JSONObject(Map.of("type", error.toString()));
        }
    }

    static Response usedCode() throws Exception {
        var consent = newConsent();
        tokens(redeem(grant(consent.code, consent.verifier)));
        return redeem(grant(consent.code, consent.verifier));
    }

    static AuthorizationRequest.Builder request(CodeVerifier verifier) {
        return new AuthorizationRequest.Builder(ResponseType.CODE, APP)
            .endpointURI(server.getAuthorizationEndpointURI())
            .redirectionURI(REDIRECT)
            .scope(SCOPE)
            .state(new State())
            .codeChallenge(verifier, CodeChallengeMethod.S256);
    }

    /** Opens an authorization URL as the user, whose access token counts as consent. */
    static AuthorizationResponse ask(AuthorizationRequest.Builder builder) throws Exception {
        var request = new HTTPRequest(HTTPRequest.Method.GET, builder.build().toURI());
        request.setFollowRedirects(false);
        request.setAuthorization("Bearer " + System.getenv("USER_TOKEN"));
        return AuthorizationResponse.parse(request.send().getLocation());
    }

    static Consent newConsent() throws Exception {
        var verifier = new CodeVerifier();
        return new Consent(ask(request(verifier)).toSuccessResponse().getAuthorizationCode().getValue(), verifier);
    }

    static AuthorizationGrant grant(String code, CodeVerifier verifier) {
        return new AuthorizationCodeGrant(new AuthorizationCode(code), REDIRECT, verifier);
    }

    static AuthorizationGrant newGrant() throws Exception {
        var consent = newConsent();
        return grant(consent.code, consent.verifier);
    }

    static TokenResponse redeem(AuthorizationGrant grant) throws Exception {
        return send(new TokenRequest(token(), BASIC, grant));
    }

    static TokenResponse send(TokenRequest request) throws Exception {
        return TokenResponse.parse(request.toHTTPRequest().send());
    }

    static HTTPResponse revoke(Token refreshToken) throws Exception {
        return new TokenRevocationRequest(server.getRevocationEndpointURI(), BASIC, refreshToken)
            .toHTTPRequest()
            .send();
    }

    static Tokens tokens(TokenResponse response) {
        return response.toSuccessResponse().getTokens();
    }

    static URI token() {
        return server.getTokenEndpointURI();
    }

    static ClientAuthentication basic(String secret) {
        return new ClientSecretBasic(APP, new Secret(secret));
    }

    static String userOf(AccessToken accessToken) throws Exception {
        var request = new HTTPRequest(HTTPRequest.Method.GET, URI.create(ISSUER + "/self"));
        request.setAuthorization(accessToken.toAuthorizationHeader());
        return (String) request.send().getBodyAsJSONObject().get("id");
    }
}
