package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/cookiejar"
	"os"

	"example.com/parley"
)

const api = "http://127.0.0.1:8080"

func newClient(base string, jar http.CookieJar) *parley.ClientWithResponses {
	client, err := parley.NewClientWithResponses(base, parley.WithHTTPClient(&http.Client{Jar: jar}))
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func bearer(token string) parley.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func main() {
	ctx := context.Background()
	jar, _ := cookiejar.New(nil) // an app keeps the cookies on disk
	client, withoutVersion := newClient(api+"/v8", jar), newClient(api, jar)

	persist := true
	credentials := parley.Login{Email: &os.Args[1], Password: &os.Args[2]}
	login, err := client.LoginWithResponse(ctx, &parley.LoginParams{Persist: &persist}, credentials)
	if err != nil {
		log.Fatal(err)
	}
	if login.JSON200 == nil {
		log.Fatalf("login: %s", login.Body)
	}
	token := login.JSON200.AccessToken

	// After a 401:
	access, err := withoutVersion.AccessWithResponse(ctx, &parley.AccessParams{})
	if err != nil {
		log.Fatal(err)
	}
	if access.JSON200 == nil {
		log.Fatalf("access: %s", access.Body)
	}
	token = access.JSON200.AccessToken

	self, err := client.GetSelfWithResponse(ctx, bearer(token))
	if err != nil {
		log.Fatal(err)
	}
	if self.JSON200 == nil {
		log.Fatalf("self: %s", self.Body)
	}
	fmt.Println(self.JSON200.Name)
}
